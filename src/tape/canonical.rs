//! Canonical JSON, from which digests are computed: keys sorted by their bytes, no white space, arrays in order.

use serde_json::Value;

pub(crate) fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Object(members) => {
            let mut sorted: Vec<_> = members.iter().collect();
            sorted.sort_by(|one, two| one.0.as_bytes().cmp(two.0.as_bytes()));
            out.push('{');
            for (at, (key, member)) in sorted.into_iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                out.push_str(&Value::String(key.clone()).to_string());
                out.push(':');
                write(member, out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                if at > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        plain => out.push_str(&plain.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::canonical;

    #[test]
    fn keys_are_sorted_at_every_level() {
        let value = serde_json::from_str(r#"{"b":[{"z":1,"a":"\u00e9\n"}, 2.5],"B":null}"#).expect("JSON");
        assert_eq!(canonical(&value), "{\"B\":null,\"b\":[{\"a\":\"é\\n\",\"z\":1},2.5]}");
    }
}
