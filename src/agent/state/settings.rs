//! Settings in force: where the agent works, which model answers, and what it may do without asking.

use std::sync::Arc;

use crate::agent::event::AgentEvent;
use crate::json::raw::RawText;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct SettingsInForce {
    pub cwd: Option<Arc<str>>,
    pub branch: Option<Arc<str>>,
    pub version: Option<Arc<str>>,
    pub model: Option<Arc<str>>,
    pub mode: Option<Arc<str>>,
}

/// Replaces a setting by the text, if there is one and it is another one.
fn set(setting: &mut Option<Arc<str>>, text: Option<RawText<'_>>) {
    if let Some(text) = text.filter(|text| !text.is_empty())
        && setting.as_deref().is_none_or(|known| !text.is(known))
    {
        *setting = Some(Arc::from(&*text.get()));
    }
}

impl SettingsInForce {
    pub(super) fn see(&mut self, event: &AgentEvent<'_>) {
        let settings = &event.line.settings;
        set(&mut self.cwd, settings.cwd);
        set(&mut self.branch, settings.branch);
        set(&mut self.version, settings.version);
        set(&mut self.model, settings.model);
        if let [Some(only), None, None] = settings.mode {
            set(&mut self.mode, Some(only));
        } else {
            let words: Vec<_> = settings.mode.iter().flatten().map(|word| word.get()).collect();
            let mode = words.join(", ");
            set(&mut self.mode, Some(RawText::plain(&mode)));
        }
    }
}
