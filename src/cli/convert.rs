//! `stepback convert`: writes a log in another form, one of those in its dialect's row.

use std::borrow::Cow;
use std::io::Write;
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use color_eyre::eyre::{self, WrapErr};
use serde_json::Value;

use super::args::ConvertArgs;
use super::exit::Exit;
use super::open::{Opened, open, refuse_if_strict};
use super::print;
use super::redaction::{Hiding, redaction_json};
use super::replayed::note;
use crate::dialect::convert::{Conversion, ConvertForm};
use crate::dialect::open_log::{DialectError, OpenLog};
use crate::dialect::sidecar::Sidecars;
use crate::redact::{DocumentRules, MaskOptions, redact};
use crate::replay::log_writer::{LogLayout, LogWriter};
use crate::wholefile::{Destination, Existing, WholeFile};

pub(super) fn run(args: &ConvertArgs, out: &mut dyn Write) -> eyre::Result<Exit> {
    let opened = open(&args.input)?;
    opened.warn_about_damage();
    let form = form(&opened, args)?;
    refuse_if_strict(args.strict, &opened)?;
    let options = MaskOptions { emails: args.redact_emails, homes: args.redact_homes, patterns: Vec::new() };
    let hiding = Hiding::of(&opened, args.redact, options)?;
    if args.output == Path::new("-") {
        (form.write)(&mut Converting { opened: &opened, hiding, out })?;
    } else {
        let shown = args.output.display();
        Destination::new(&args.output, Some(&args.input.file), Existing::unless_forced(args.force))?;
        let mut file = WholeFile::create(&args.output).wrap_err_with(|| format!("{shown}: cannot be written"))?;
        (form.write)(&mut Converting { opened: &opened, hiding, out: &mut file })?;
        file.finish().wrap_err_with(|| format!("{shown}: cannot be written"))?;
    }
    Ok(Exit::Clean)
}

/// The form that the user named, or the one that the name of the output asks for.
fn form(opened: &Opened, args: &ConvertArgs) -> eyre::Result<&'static ConvertForm> {
    let (forms, title) = (opened.dialect().convert, opened.dialect().title);
    let name = &opened.log.name;
    let Some(first) = forms.first() else {
        return Err(eyre::eyre!("{name}: convert cannot write a log of this kind ({title}) in another form"));
    };
    if let Some(named) = &args.to {
        return forms.iter().find(|form| form.name == named).ok_or_else(|| {
            let known: Vec<&str> = forms.iter().map(|form| form.name).collect();
            let known = known.join(", ");
            eyre::eyre!(
                "{name}: a log of this kind ({title}) cannot be converted with `--to {named}`, only to: {known}"
            )
        });
    }
    let extension = args.output.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    Ok(forms.iter().find(|form| form.extensions.contains(&extension)).unwrap_or(first))
}

struct Converting<'c> {
    opened: &'c Opened,
    hiding: Hiding,
    out: &'c mut dyn Write,
}

impl Conversion for Converting<'_> {
    fn log(&self) -> &dyn OpenLog {
        &self.opened.log
    }

    fn sidecars(&self) -> &dyn Sidecars {
        &*self.opened.sidecars
    }

    fn now_ms(&self) -> u64 {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_millis() as u64)
    }

    fn has_masks(&self) -> bool {
        !matches!(self.hiding, Hiding::Nothing)
    }

    fn mask_events(&mut self, events: Vec<String>) -> (Vec<String>, Value) {
        let (events, rules) = self.hiding.events(events);
        (events, redaction_json(&rules))
    }

    fn mask_sidecar(&self, sidecar: &mut Value) {
        // The other rules are applied to the whole document when it is written.
        if matches!(self.hiding, Hiding::Reference) {
            redact(sidecar, DocumentRules::Reference, &mut Default::default());
        }
    }

    fn write_records<'r>(
        &mut self,
        layout: LogLayout,
        records: &mut dyn Iterator<Item = Cow<'r, str>>,
    ) -> Result<(), DialectError> {
        let (mut writer, mut buffer) = (LogWriter::new(layout), Vec::new());
        for record in records {
            writer.record(print::harmless(record.into_owned()).as_bytes(), &mut buffer);
            self.out.write_all(&buffer).map_err(DialectError::write)?;
            buffer.clear();
        }
        writer.finish(&mut buffer);
        self.out.write_all(&buffer).map_err(DialectError::write)
    }

    fn write_document(&mut self, document: &Value) -> Result<(), DialectError> {
        let text = self.hiding.document(document).map_err(DialectError::read)?;
        writeln!(self.out, "{text}").map_err(DialectError::write)
    }

    fn note(&mut self, text: &str) {
        note(&self.hiding.message(text));
    }
}
