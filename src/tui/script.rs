//! Scripts of keys and pauses, which `--keys` plays on a screen without a terminal.

use std::str::FromStr;
use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::key;
use super::keymap::{KeyNameError, key_name};

/// How long a screen is shown if the script does not say it.
const DEFAULT_HOLD: Duration = Duration::from_secs(1);
const LONGEST_PAUSE_MS: u64 = 60_000;
/// More would be a mistake, and a picture that no viewer plays.
const MOST_STEPS: usize = 1000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KeyScript {
    /// How long the screen is shown before the first key.
    pub opening: Duration,
    pub steps: Vec<ScriptStep>,
}

/// A key, or a text that is typed at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ScriptStep {
    /// The name of the key, or the text.
    pub label: String,
    pub keys: Vec<KeyEvent>,
    /// How long the screen is shown after it.
    pub hold: Duration,
}

/// Why a script cannot be played.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ScriptError {
    #[error("{0}; expected keys such as G, Enter or Ctrl-o, texts in double quotes, and pauses such as 1.5s or 800ms")]
    NotAKey(#[from] KeyNameError),
    #[error("the text {0:?} does not end with a double quote")]
    OpenText(String),
    #[error("the text is followed by {0:?}; expected a blank")]
    NoBlank(String),
    #[error("{0:?} is not a pause from 1ms to 60s")]
    Pause(String),
    #[error("there is no key in it")]
    NoKeys,
    #[error("it has more than {MOST_STEPS} keys")]
    TooMany,
}

impl FromStr for KeyScript {
    type Err = ScriptError;

    fn from_str(written: &str) -> Result<KeyScript, ScriptError> {
        let mut opening = None;
        let mut steps: Vec<(ScriptStep, Option<Duration>)> = Vec::new();
        let mut rest = written.trim_start();
        while !rest.is_empty() {
            let after = if let Some(quoted) = rest.strip_prefix('"') {
                let (text, after) = text(quoted)?;
                steps.push((typed(text), None));
                after
            } else {
                let (word, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
                match pause(word)? {
                    Some(pause) => {
                        let hold = steps.last_mut().map_or(&mut opening, |(_, hold)| hold);
                        *hold = Some(hold.unwrap_or_default().saturating_add(pause));
                    }
                    None => steps.push((press(word)?, None)),
                }
                after
            };
            rest = after.trim_start();
        }
        match steps.len() {
            0 => Err(ScriptError::NoKeys),
            1..=MOST_STEPS => Ok(KeyScript {
                opening: opening.unwrap_or(DEFAULT_HOLD),
                steps: steps.into_iter().map(|(step, hold)| step.held(hold)).collect(),
            }),
            _ => Err(ScriptError::TooMany),
        }
    }
}

impl ScriptStep {
    fn held(self, hold: Option<Duration>) -> ScriptStep {
        ScriptStep { hold: hold.unwrap_or(DEFAULT_HOLD), ..self }
    }
}

/// A text after its opening quote, and what follows its closing one. A backslash quotes the character after it.
fn text(quoted: &str) -> Result<(String, &str), ScriptError> {
    let mut text = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => {
                let after = &quoted[at + 1..];
                let is_separate = after.is_empty() || after.starts_with(char::is_whitespace);
                return if is_separate { Ok((text, after)) } else { Err(ScriptError::NoBlank(after.to_owned())) };
            }
            '\\' => text.extend(characters.next().map(|(_, quoted)| quoted)),
            character => text.push(character),
        }
    }
    Err(ScriptError::OpenText(text))
}

fn typed(text: String) -> ScriptStep {
    let letter = |letter| KeyEvent::new(KeyCode::Char(letter), KeyModifiers::NONE);
    ScriptStep { keys: text.chars().map(letter).collect(), label: text, hold: DEFAULT_HOLD }
}

/// `None` if the word is not written like a pause. No name of a key is.
fn pause(word: &str) -> Result<Option<Duration>, ScriptError> {
    let (number, unit_ms) = match (word.strip_suffix("ms"), word.strip_suffix('s')) {
        (Some(number), _) => (number, 1.0),
        (_, Some(number)) => (number, 1000.0),
        _ => return Ok(None),
    };
    if !number.starts_with(|first: char| first.is_ascii_digit()) {
        return Ok(None);
    }
    let milliseconds = number.parse::<f64>().map_or(0, |number| (number * unit_ms).round() as u64);
    match milliseconds {
        1..=LONGEST_PAUSE_MS => Ok(Some(Duration::from_millis(milliseconds))),
        _ => Err(ScriptError::Pause(word.to_owned())),
    }
}

fn press(word: &str) -> Result<ScriptStep, ScriptError> {
    // A digit is not a key that can be bound, but it can be pressed: it is a count.
    let is_digit = word.len() == 1 && word.bytes().all(|byte| byte.is_ascii_digit());
    let label = if is_digit { word.to_owned() } else { key_name(word)? };
    let keys = key::event(&label).into_iter().collect();
    Ok(ScriptStep { label, keys, hold: DEFAULT_HOLD })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn steps(written: &str) -> Vec<(String, u128)> {
        let script: KeyScript = written.parse().expect(written);
        assert!(script.steps.iter().all(|step| !step.keys.is_empty()), "{written}");
        script.steps.into_iter().map(|step| (step.label, step.hold.as_millis())).collect()
    }

    #[test]
    fn keys_texts_and_pauses_are_told_apart() {
        let script: KeyScript = "2s G 1.5s  F F 200ms 50ms ctrl+O s".parse().expect("a script");
        assert_eq!(script.opening, Duration::from_secs(2));
        let held: Vec<_> = script.steps.iter().map(|step| (step.label.as_str(), step.hold.as_millis())).collect();
        assert_eq!(held, [("G", 1500), ("F", 1000), ("F", 250), ("Ctrl-o", 1000), ("s", 1000)]);
        assert_eq!(
            steps(r#"5 l / "call-5 \"x\" \\" 3s Enter"#),
            [("5", 1000), ("l", 1000), ("/", 1000), (r#"call-5 "x" \"#, 3000), ("Enter", 1000)]
                .map(|(label, hold)| (label.to_owned(), hold))
        );
    }

    #[test]
    fn what_cannot_be_played_is_rejected() {
        let refused = |written: &str| written.parse::<KeyScript>().expect_err(written).to_string();
        assert!(refused("G Entr").starts_with("there is no key \"Entr\"; did you mean \"Enter\"?; expected keys"));
        assert_eq!(refused("/ \"call"), "the text \"call\" does not end with a double quote");
        assert_eq!(refused("/ \"a\"Enter"), "the text is followed by \"Enter\"; expected a blank");
        assert_eq!(refused("G 0s"), "\"0s\" is not a pause from 1ms to 60s");
        assert_eq!(refused("G 61s"), "\"61s\" is not a pause from 1ms to 60s");
        assert_eq!(refused("1.2.3s G"), "\"1.2.3s\" is not a pause from 1ms to 60s");
        assert_eq!((refused(" "), refused("2s")), ("there is no key in it".into(), "there is no key in it".into()));
        assert_eq!(refused(&"l ".repeat(MOST_STEPS + 1)), "it has more than 1000 keys");
    }
}
