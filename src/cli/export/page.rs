//! A finding as one page of HTML: no network access, every text escaped, steps with the arrow keys.

use std::fmt::Write;

use sha2::{Digest, Sha256};

use super::content::{PageContent, PageEvent};
use crate::text::clean;

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// A text of a log or of stepback as HTML. Characters that could reorder the page are visible as escapes.
struct HtmlEscaped<'t>(&'t str);

impl std::fmt::Display for HtmlEscaped<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (number, line) in self.0.split('\n').enumerate() {
            if number > 0 {
                out.write_char('\n')?;
            }
            for character in clean(line).chars() {
                match character {
                    '&' => out.write_str("&amp;")?,
                    '<' => out.write_str("&lt;")?,
                    '>' => out.write_str("&gt;")?,
                    '"' => out.write_str("&quot;")?,
                    '\'' => out.write_str("&#39;")?,
                    character => out.write_char(character)?,
                }
            }
        }
        Ok(())
    }
}

/// The source of an inline script or style, as a Content-Security-Policy names it.
fn source(text: &str) -> String {
    format!("'sha256-{}'", base64(&Sha256::digest(text.as_bytes())))
}

fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for chunk in bytes.chunks(3) {
        let bits = (0..3).fold(0_u32, |bits, index| bits << 8 | u32::from(chunk.get(index).copied().unwrap_or(0)));
        for place in 0..4 {
            let digit = DIGITS[(bits >> (18 - 6 * place)) as usize & 63];
            out.push(if place <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    out
}

pub(super) fn page(content: &PageContent) -> Result<String, std::fmt::Error> {
    let mut out = String::new();
    let policy = format!(
        "default-src 'none'; style-src {}; script-src {}; base-uri 'none'; form-action 'none'",
        source(STYLE),
        source(SCRIPT)
    );
    write!(
        out,
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"color-scheme\" content=\"light dark\">\n\
         <title>{} in {}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n",
        HtmlEscaped(content.check),
        HtmlEscaped(&content.name),
    )?;
    head(content, &mut out)?;
    list(content, &mut out)?;
    out.push_str("<main>\n");
    let first = content.first_named().map(|event| event.at);
    for event in &content.events {
        section(event, first == Some(event.at), &mut out)?;
    }
    write!(out, "</main>\n<script>{SCRIPT}</script>\n</body>\n</html>\n")?;
    Ok(out)
}

fn head(content: &PageContent, out: &mut String) -> std::fmt::Result {
    let severity = content.severity.name();
    write!(
        out,
        "<header>\n<p class=\"kicker\"><span class=\"badge {severity}\">{severity}</span> <code>{}</code></p>\n<h1>{}</h1>\n\
         <dl class=\"versus\">\n<div class=\"expected\"><dt>expected</dt><dd>{}</dd></div>\n\
         <div class=\"actual\"><dt>actual</dt><dd>{}</dd></div>\n</dl>\n<p class=\"explains\">{}</p>\n",
        HtmlEscaped(content.check),
        HtmlEscaped(&content.message),
        HtmlEscaped(&content.expected),
        HtmlEscaped(&content.actual),
        HtmlEscaped(content.explains),
    )?;
    write!(
        out,
        "<p class=\"facts\">{} · {} · {}",
        HtmlEscaped(&content.name),
        content.dialect,
        facts(content).join(" · ")
    )?;
    out.push_str("</p>\n</header>\n");
    Ok(())
}

/// How much of the log is on the page.
pub(super) fn facts(content: &PageContent) -> Vec<String> {
    let plural = |number: usize, word: &str| format!("{number} {word}{}", if number == 1 { "" } else { "s" });
    let mut facts = Vec::new();
    facts.push(match content.is_minimized {
        true => {
            format!("minimized from {} to {}", plural(content.events_before as usize, "event"), content.events_after)
        }
        false => plural(content.events_after as usize, "event"),
    });
    if content.events.len() < content.events_after as usize {
        facts.push(format!("{} around the finding shown", plural(content.events.len(), "event")));
    }
    facts.push(match content.masked {
        0 => "no secrets found".to_owned(),
        masked => format!("{} masked", plural(masked, "secret")),
    });
    facts.push(format!("stepback {}", env!("CARGO_PKG_VERSION")));
    facts
}

fn list(content: &PageContent, out: &mut String) -> std::fmt::Result {
    out.push_str("<nav aria-label=\"Events\">\n<p class=\"hint\"><kbd>←</kbd> <kbd>→</kbd> step · <kbd>f</kbd> next event of the finding</p>\n<ol>\n");
    for event in &content.events {
        let class = if event.is_named { " class=\"named\"" } else { "" };
        writeln!(
            out,
            "<li{class}><a href=\"#e{at}\"><span class=\"at\">{at}</span> <span class=\"kind\">{}</span> \
             <span class=\"summary\">{}</span></a></li>",
            HtmlEscaped(event.kind),
            HtmlEscaped(&event.summary),
            at = event.at,
        )?;
    }
    out.push_str("</ol>\n</nav>\n");
    Ok(())
}

fn section(event: &PageEvent, is_first: bool, out: &mut String) -> std::fmt::Result {
    let class = match (event.is_named, is_first) {
        (_, true) => "named first",
        (true, false) => "named",
        (false, false) => "",
    };
    write!(
        out,
        "<section id=\"e{at}\" class=\"{class}\">\n<h2><span class=\"at\">event {at}</span> {}</h2>\n<p class=\"summary\">{}</p>\n",
        HtmlEscaped(event.kind),
        HtmlEscaped(&event.summary),
        at = event.at,
    )?;
    if event.is_named {
        out.push_str("<p class=\"mark\">the finding names this event</p>\n");
    }
    if let Some(reason) = &event.malformed {
        writeln!(out, "<p class=\"mark\">not an event: {}</p>", HtmlEscaped(reason))?;
    }
    out.push_str("<h3>projection</h3>\n");
    if event.fields.is_empty() {
        out.push_str("<p class=\"none\">as at the beginning</p>\n");
    } else {
        out.push_str("<table>\n");
        for field in &event.fields {
            let class = if field.before.is_some() { " class=\"changed\"" } else { "" };
            write!(out, "<tr{class}><th>{}</th><td>", HtmlEscaped(field.name))?;
            if let Some(before) = &field.before {
                write!(out, "<del>{}</del> → <ins>{}</ins>", HtmlEscaped(before), HtmlEscaped(&field.value))?;
            } else {
                write!(out, "{}", HtmlEscaped(&field.value))?;
            }
            out.push_str("</td></tr>\n");
        }
        out.push_str("</table>\n");
    }
    out.push_str("<h3>effects</h3>\n");
    if event.effects.is_empty() {
        out.push_str("<p class=\"none\">none</p>\n");
    } else {
        out.push_str("<ul>\n");
        for effect in &event.effects {
            writeln!(out, "<li>{}</li>", HtmlEscaped(effect))?;
        }
        out.push_str("</ul>\n");
    }
    writeln!(out, "<h3>record</h3>\n<pre>{}</pre>\n</section>", HtmlEscaped(&event.json))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_cannot_leave_their_place() {
        let hostile = "</pre><script>alert(\"1\")</script>&\u{202e}\u{1b}[2J'";
        let escaped = HtmlEscaped(hostile).to_string();
        assert!(!escaped.contains(['<', '>', '"', '\'', '\u{202e}', '\u{1b}']), "{escaped}");
        assert_eq!(HtmlEscaped("a\nb").to_string(), "a\nb");
    }

    #[test]
    fn digests_are_written_as_policies_have_them() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("fooba", "Zm9vYmE=")] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }
}
