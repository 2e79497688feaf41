//! Direct decoding of records: the tag of the kind comes first, so that its members are read without being collected.
//!
//! serde collects the members of a tagged object before it knows what they are. Writers put the tag first, so nearly every
//! record can be read in one pass. Of all others, and of everything that serde might read differently, this module is not
//! sure.

use std::borrow::Cow;
use std::fmt;

use serde::de::value::{CowStrDeserializer, MapAccessDeserializer};
use serde::de::{DeserializeSeed, Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

use super::event::{Phase, Record};
use super::kind::{ClockSource, Kind};
use super::payload::Payload;

/// Skipped members may be nested more deeply than serde reads them; with fewer brackets than this, they are not.
const MOST_BRACKETS: usize = 100;

/// The record in a line, or `None` if that is uncertain.
pub(super) fn record(line: &str) -> Option<Record> {
    if brackets(line) > MOST_BRACKETS {
        return None;
    }
    let DirectRecord { tag, seq, phase, virtual_time_ms, monotonic_ms, kind: DirectKind(kind) } =
        serde_json::from_str(line).ok()?;
    (tag == "record").then(|| Record::new(seq, phase, virtual_time_ms, monotonic_ms, kind))
}

/// The number of opening brackets, inside strings too. A sum of bytes that cannot overflow is vectorized.
fn brackets(line: &str) -> usize {
    let of_part = |part: &[u8]| part.iter().map(|byte| u8::from(matches!(byte, b'{' | b'['))).sum::<u8>();
    line.as_bytes().chunks(u8::MAX as usize).map(|part| usize::from(of_part(part))).sum()
}

#[derive(Deserialize)]
struct DirectRecord<'a> {
    #[serde(rename = "type", borrow)]
    tag: Cow<'a, str>,
    seq: u64,
    #[serde(default)]
    phase: Phase,
    virtual_time_ms: i64,
    monotonic_ms: i64,
    kind: DirectKind,
}

struct DirectKind(Kind);

impl<'de> Deserialize<'de> for DirectKind {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(KindVisitor)
    }
}

struct KindVisitor;

impl<'de> Visitor<'de> for KindVisitor {
    type Value = DirectKind;

    fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("a kind that begins with its tag")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<DirectKind, A::Error> {
        if map.next_key::<&str>()? != Some("kind") {
            return Err(A::Error::custom("the tag is not first"));
        }
        let tag = map.next_value::<&str>()?;
        kind(tag, MapAccessDeserializer::new(Untagged { map })).map(DirectKind)
    }
}

/// The kind with this tag, from its other members.
fn kind<'de, D: Deserializer<'de>>(tag: &str, members: D) -> Result<Kind, D::Error> {
    #[derive(Deserialize)]
    struct ClockRead {
        source: ClockSource,
        value_ms: i64,
    }
    #[derive(Deserialize)]
    struct CacheLookup {
        namespace: String,
        key: String,
        after_calls: u64,
        #[serde(default)]
        value: Option<Payload>,
    }
    #[derive(Deserialize)]
    struct PromptRender {
        render_id: String,
        template_uri: String,
        rendered: Payload,
        spans: Payload,
    }
    Ok(match tag {
        "clock_read" => {
            let ClockRead { source, value_ms } = ClockRead::deserialize(members)?;
            Kind::ClockRead { source, value_ms }
        }
        "cache_lookup" => {
            let CacheLookup { namespace, key, after_calls, value } = CacheLookup::deserialize(members)?;
            Kind::CacheLookup { namespace, key, after_calls, value }
        }
        "prompt_render" => {
            let PromptRender { render_id, template_uri, rendered, spans } = PromptRender::deserialize(members)?;
            Kind::PromptRender { render_id, template_uri, rendered, spans }
        }
        "llm_call" => Kind::LlmCall(Deserialize::deserialize(members)?),
        "file_read" => Kind::FileRead(Deserialize::deserialize(members)?),
        "file_write" => Kind::FileWrite(Deserialize::deserialize(members)?),
        "process_spawn" => Kind::ProcessSpawn(Deserialize::deserialize(members)?),
        "mcp_json_rpc" => Kind::McpJsonRpc(Deserialize::deserialize(members)?),
        "tool_call" => Kind::ToolCall(Deserialize::deserialize(members)?),
        _ => return Err(D::Error::custom("the other kinds are rare")),
    })
}

/// The members after the tag. A second tag is an error.
struct Untagged<A> {
    map: A,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Untagged<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        match self.map.next_key::<Key<'de>>()? {
            Some(Key(name)) if name == "kind" => Err(A::Error::custom("a second tag")),
            Some(Key(name)) => seed.deserialize(CowStrDeserializer::new(name)).map(Some),
            None => Ok(None),
        }
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        self.map.next_value_seed(seed)
    }
}

#[derive(Deserialize)]
struct Key<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tape::event::Line;

    /// What serde makes of a line.
    fn exact(line: &str) -> Option<Record> {
        match Line::parse(line) {
            Ok(Line::Record(record)) => Some(Record { verbatim: None, ..*record }),
            _ => None,
        }
    }

    #[test]
    fn records_of_writers_are_read_directly() {
        let tapes =
            ["fixtures/tape/every-kind.tape", "fixtures/tape/long-output.tape", "fixtures/tape/notes-good.tape"];
        let mut direct = 0;
        for tape in tapes {
            let text = std::fs::read_to_string(tape).expect("a fixture");
            for line in text.lines() {
                let found = record(line);
                assert!(found.is_none() || found == exact(line), "{line}");
                direct += usize::from(found.is_some());
            }
        }
        assert!(direct > 20, "{direct} records");
    }

    #[test]
    fn what_serde_reads_differently_is_left_to_it() {
        let line = |kind: &str| {
            format!(
                r#"{{"type":"record","seq":1,"phase":"user_script","virtual_time_ms":1,"monotonic_ms":1,"kind":{kind}}}"#
            )
        };
        let clock = r#"{"kind":"clock_read","source":"wall","value_ms":5}"#;
        assert!(record(&line(clock)).is_some());
        for (kind, is_certain) in [
            (r#"{"kind":"clock_read","source":"wall","value_ms":5,"more":[{}]}"#, true),
            (r#"{"source":"wall","kind":"clock_read","value_ms":5}"#, false),
            (r#"{"kind":"clock_read","source":"wall","value_ms":5,"kind":"clock_read"}"#, false),
            (r#"{"kind":"clock_read","source":"wall","value_ms":5,"k\u0069nd":"clock_read"}"#, false),
            (r#"{"kind":"clock_read","source":"wall","value_ms":5.0}"#, false),
            (r#"{"kind":"clock_read","source":"wall","source":"wall","value_ms":5}"#, false),
            (r#"{"kind":"quantum_leap"}"#, false),
            (r#"["clock_read","wall",5]"#, false),
            ("null", false),
        ] {
            let line = line(kind);
            assert_eq!(record(&line).is_some(), is_certain, "{line}");
            assert!(record(&line).is_none_or(|found| Some(found) == exact(&line)), "{line}");
        }
        let deep = format!(
            r#"{{"kind":"clock_read","source":"wall","value_ms":5,"x":{}{}}}"#,
            "[".repeat(200),
            "]".repeat(200)
        );
        assert_eq!((record(&line(&deep)), exact(&line(&deep))), (None, None));
        assert_eq!(record(&line(clock).replace("record", "header")), None);
    }
}
