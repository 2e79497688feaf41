//! The command palette: every key and command that applies now, found by a few letters of its description.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use crate::text::fuzzy::FuzzyPattern;
use crate::text::{fit, pad};
use crate::tui::action::Action;
use crate::tui::command::{COMMANDS, CommandArgument, ScreenCommand};
use crate::tui::key::{Binding, KeyContext, KeyGroup};
use crate::tui::model::Model;
use crate::tui::popup::window::{open, title};
use crate::tui::theme::{ScreenRole, selected};
use crate::tui::typing::Prompt;

const COLUMNS: u16 = 100;
const KEY_COLUMNS: usize = 16;

#[derive(Clone, Copy)]
enum PaletteCandidate {
    Key(&'static Binding),
    Command(&'static ScreenCommand),
}

/// An entry: its keys or its command, and what it does.
pub(crate) struct PaletteEntry {
    item: PaletteCandidate,
    pub keys: String,
    pub does: &'static str,
}

/// The entries that match what was typed, the best first; without a text, all in their groups.
pub(crate) fn entries(model: &Model, typed: &str) -> Vec<PaletteEntry> {
    let pattern = FuzzyPattern::new(typed);
    let all = all(model);
    if pattern.is_empty() {
        return all;
    }
    let score = |entry: PaletteEntry| {
        let group = match entry.item {
            PaletteCandidate::Key(binding) => KeyGroup::of(binding.action).name(),
            PaletteCandidate::Command(_) => "",
        };
        Some((pattern.score([entry.does, entry.keys.as_str(), entry.name(), group])?, entry))
    };
    let mut found: Vec<(u32, PaletteEntry)> = all.into_iter().filter_map(score).collect();
    found.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    found.into_iter().map(|(_, entry)| entry).collect()
}

impl PaletteEntry {
    fn name(&self) -> &'static str {
        match self.item {
            PaletteCandidate::Key(binding) => binding.name,
            PaletteCandidate::Command(command) => command.name,
        }
    }
}

fn all(model: &Model) -> Vec<PaletteEntry> {
    let rows = model.keymap().rows().iter();
    let applies = |place: KeyContext| place == KeyContext::Everywhere || place == KeyContext::Pane(model.focus);
    let keys = rows.filter(|row| applies(row.binding.applies) && row.binding.action != Action::Palette);
    let mut entries: Vec<PaletteEntry> = keys
        .map(|row| PaletteEntry {
            item: PaletteCandidate::Key(row.binding),
            keys: row.keys.join(" "),
            does: row.binding.describes,
        })
        .collect();
    let group = |entry: &PaletteEntry| match entry.item {
        PaletteCandidate::Key(binding) => KeyGroup::ALL.iter().position(|group| *group == KeyGroup::of(binding.action)),
        PaletteCandidate::Command(_) => None,
    };
    entries.sort_by_key(group);
    entries.extend(COMMANDS.iter().map(|command| PaletteEntry {
        item: PaletteCandidate::Command(command),
        keys: format!(":{} {}", command.name, command.argument).trim_end().to_owned(),
        does: command.describes,
    }));
    entries
}

/// The row that is selected, by its number.
fn row(prompt: &Prompt, entries: usize) -> usize {
    prompt.row.min(entries.saturating_sub(1))
}

/// Moves the selection by a row.
pub(crate) fn step(model: &Model, prompt: &mut Prompt, is_down: bool) {
    let entries = entries(model, &prompt.typed()).len();
    let here = row(prompt, entries);
    prompt.row = if is_down { (here + 1).min(entries.saturating_sub(1)) } else { here.saturating_sub(1) };
}

/// What the selected entry does.
pub(crate) enum Chosen {
    Do(Action),
    /// The command line begins with this.
    Write(String),
}

/// What the selected entry does; a command with an argument is written into the command line.
pub(crate) fn chosen(model: &Model, prompt: &Prompt) -> Option<Chosen> {
    let entries = entries(model, &prompt.typed());
    Some(match entries.get(row(prompt, entries.len()))?.item {
        PaletteCandidate::Key(binding) => Chosen::Do(binding.action),
        PaletteCandidate::Command(command) => {
            let blank = if command.takes == CommandArgument::Nothing { "" } else { " " };
            Chosen::Write(format!("{}{blank}", command.name))
        }
    })
}

pub(crate) fn draw(model: &Model, prompt: &Prompt, frame: &mut Frame<'_>, screen: Rect) {
    let entries = entries(model, &prompt.typed());
    let width = COLUMNS.min(screen.width);
    let height = (entries.len() as u16 + 2).clamp(3, screen.height.saturating_sub(4).max(3));
    let area = Rect::new(screen.x, screen.bottom().saturating_sub(height + 1), width, height);
    let at = row(prompt, entries.len());
    let below = format!(
        " Enter do it  Up Down select  Esc cancel  {}/{} ",
        at + usize::from(!entries.is_empty()),
        entries.len()
    );
    let inside = open(model, frame, area, title(model, "What do you want to do?", width), &below);
    let first = (at + 1).saturating_sub(inside.height as usize);
    let room = inside.width as usize;
    let line = |(number, entry): (usize, &PaletteEntry)| {
        let keys =
            Span::styled(pad(&fit(&entry.keys, KEY_COLUMNS - 1), KEY_COLUMNS), model.theme().style(ScreenRole::Key));
        let does = Span::raw(fit(entry.does, room.saturating_sub(KEY_COLUMNS)));
        selected(Line::from(vec![keys, does]), number == at, room)
    };
    let lines: Vec<Line<'_>> = match entries.is_empty() {
        true => vec![Line::styled("nothing matches", model.theme().style(ScreenRole::Dim))],
        false => entries.iter().enumerate().skip(first).take(inside.height as usize).map(line).collect(),
    };
    frame.render_widget(Paragraph::new(lines), inside);
}
