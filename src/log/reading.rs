//! The interface through which a dialect reads an open log.

use std::any::Any;
use std::path::Path;

use super::error::LogError;
use super::open::Log;
use super::walk::{Met, Walk};
use crate::dialect::container::Wrapping;
use crate::dialect::open_log::{DialectError, OpenLog, RecordRead, VisitRecordUntil};
use crate::replay::finding::Finding;
use crate::replay::source::Head;

impl OpenLog for Log {
    fn name(&self) -> &str {
        &self.name
    }

    fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    fn container(&self) -> &'static str {
        self.container.name()
    }

    fn wrapping(&self) -> Wrapping {
        self.wrapping
    }

    fn head(&self) -> Option<&Head> {
        self.head.as_ref()
    }

    fn around(&self) -> Option<&(dyn Any + Send + Sync)> {
        Log::around(self)
    }

    fn text(&self) -> Result<Vec<u8>, DialectError> {
        self.bytes().map_err(DialectError::read)
    }

    fn each_record_until(&self, visit: &mut VisitRecordUntil<'_>) -> Result<Vec<Finding>, DialectError> {
        let mut damage = Vec::new();
        let mut walk = Walk::new(self).map_err(DialectError::read)?;
        while let Some((at, met)) = walk.step().map_err(DialectError::read)? {
            if let Met::Torn(finding, ..) | Met::Damage(finding, _) = &met {
                damage.push(finding.clone());
            }
            if let Some((place, record)) = met.record()
                && visit(RecordRead { at, place, record, wrapping: self.wrapping }).is_break()
            {
                break;
            }
        }
        Ok(damage)
    }
}

impl From<DialectError> for LogError {
    fn from(error: DialectError) -> LogError {
        match error {
            DialectError::Read(error) => match error.downcast::<LogError>() {
                Ok(error) => *error,
                Err(error) => LogError::Dialect(DialectError::Read(error)),
            },
            refused @ (DialectError::Write(_) | DialectError::Refused(_)) => LogError::Dialect(refused),
        }
    }
}
