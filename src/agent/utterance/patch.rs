//! Changes of files as lines with marks: from two texts, from hunks, and from the patches that Codex applies.

use crate::json::raw::RawJson;
use crate::replay::utterance::{Part, PartKind};

/// Texts with more lines than this are shown as removed and added as a whole, apart from what they begin and end with.
const ALIGNED_LINES: usize = 400;
/// As many equal lines are shown around a change.
const CONTEXT: usize = 3;

/// The change from one text to another.
pub(super) fn between(old: &str, new: &str) -> Part {
    let (old, new): (Vec<&str>, Vec<&str>) = (lines(old), lines(new));
    let same_start = old.iter().zip(&new).take_while(|(one, two)| one == two).count();
    let (old_rest, new_rest) = (&old[same_start..], &new[same_start..]);
    let same_end = old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(one, two)| one == two).count();
    let (old_middle, new_middle) = (&old_rest[..old_rest.len() - same_end], &new_rest[..new_rest.len() - same_end]);
    let mut out: Vec<String> = Vec::new();
    let skipped = same_start.saturating_sub(CONTEXT);
    out.extend(old[skipped..same_start].iter().map(|line| format!(" {line}")));
    if old_middle.len() <= ALIGNED_LINES && new_middle.len() <= ALIGNED_LINES {
        aligned(old_middle, new_middle, &mut out);
    } else {
        out.extend(old_middle.iter().map(|line| format!("-{line}")));
        out.extend(new_middle.iter().map(|line| format!("+{line}")));
    }
    let after = &old[old.len() - same_end..];
    out.extend(after.iter().take(CONTEXT).map(|line| format!(" {line}")));
    Part::new(PartKind::Change, out.join("\n"))
}

/// The lines of a text; an empty text has none.
fn lines(text: &str) -> Vec<&str> {
    if text.is_empty() { Vec::new() } else { text.lines().collect() }
}

/// Pairs equal lines by the longest common subsequence.
fn aligned(old: &[&str], new: &[&str], out: &mut Vec<String>) {
    let width = new.len() + 1;
    // How many lines the rests from here on have in common.
    let mut common = vec![0_u16; (old.len() + 1) * width];
    for one in (0..old.len()).rev() {
        for two in (0..new.len()).rev() {
            common[one * width + two] = match old[one] == new[two] {
                true => common[(one + 1) * width + two + 1] + 1,
                false => common[(one + 1) * width + two].max(common[one * width + two + 1]),
            };
        }
    }
    let (mut one, mut two) = (0, 0);
    while one < old.len() || two < new.len() {
        if one < old.len() && two < new.len() && old[one] == new[two] {
            out.push(format!(" {}", old[one]));
            (one, two) = (one + 1, two + 1);
        } else if one < old.len()
            && (two == new.len() || common[(one + 1) * width + two] >= common[one * width + two + 1])
        {
            out.push(format!("-{}", old[one]));
            one += 1;
        } else {
            out.push(format!("+{}", new[two]));
            two += 1;
        }
    }
}

/// A structured patch: a list of hunks with lines that have marks.
pub(super) fn of_hunks(hunks: RawJson<'_>) -> Part {
    let mut out = Vec::new();
    for hunk in hunks.elements() {
        let number = |name: &str| hunk.get(name).and_then(RawJson::number).unwrap_or(0);
        let [old, old_lines, new, new_lines] = ["oldStart", "oldLines", "newStart", "newLines"].map(number);
        out.push(format!("@@ -{old},{old_lines} +{new},{new_lines} @@"));
        let lines = hunk.get("lines").into_iter().flat_map(RawJson::elements);
        out.extend(lines.filter_map(|line| Some(line.text()?.get().into_owned())));
    }
    Part::new(PartKind::Change, out.join("\n"))
}

/// A new file.
pub(super) fn created(text: &str) -> Part {
    let lines: Vec<String> = text.lines().map(|line| format!("+{line}")).collect();
    Part::new(PartKind::Change, lines.join("\n"))
}

/// The patch in a text between `*** Begin Patch` and `*** End Patch`: a title and a change for each file. `None` if the
/// text has no patch.
pub(super) fn of_text(text: &str) -> Option<Vec<Part>> {
    let begin = text.find("*** Begin Patch")?;
    let inside = text[begin..].split_once('\n')?.1;
    let inside = inside.split_once("*** End Patch").map_or(inside, |parts| parts.0);
    let mut parts: Vec<Part> = Vec::new();
    let mut change = String::new();
    for line in inside.lines() {
        let Some(head) = line.strip_prefix("*** ") else {
            if !change.is_empty() {
                change.push('\n');
            }
            change.push_str(line);
            continue;
        };
        if head == "End of File" {
            continue;
        }
        parts.push(Part::new(PartKind::Change, std::mem::take(&mut change)));
        let title = match head.split_once(" File: ") {
            Some(("Update", path)) => path.to_owned(),
            Some((what, path)) => format!("{path} ({})", what.to_lowercase()),
            None => head.to_owned(),
        };
        parts.push(Part::new(PartKind::Title, title));
    }
    parts.push(Part::new(PartKind::Change, change));
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_lines_are_paired() {
        assert_eq!(between("a\nb\nc\nd", "a\nx\nc\nd").text, " a\n-b\n+x\n c\n d");
        assert_eq!(between("", "a").text, "+a");
        assert_eq!(between("a\nb", "").text, "-a\n-b");
        let (old, new) = ("1\n2\n3\n4\n5\nq\nr", "1\n2\n3\n4\n5\nr\ns");
        assert_eq!(between(old, new).text, " 3\n 4\n 5\n-q\n r\n+s");
        let many: String = (0..1_000).map(|line| format!("{line}\n")).collect();
        assert_eq!(between(&many, "x").text.lines().count(), 1_001);
    }

    #[test]
    fn patches_in_a_text_are_told_by_file() {
        let text =
            "x = `*** Begin Patch\n*** Update File: a.rs\n@@ fn f\n-b\n+B\n*** Add File: c\n+new\n*** End Patch\n`";
        let parts: Vec<(PartKind, String)> = of_text(text)
            .expect("a patch")
            .into_iter()
            .filter(|part| !part.text.is_empty())
            .map(|part| (part.kind, part.text))
            .collect();
        let expected = [
            (PartKind::Title, "a.rs"),
            (PartKind::Change, "@@ fn f\n-b\n+B"),
            (PartKind::Title, "c (add)"),
            (PartKind::Change, "+new"),
        ];
        assert_eq!(parts, expected.map(|(kind, text)| (kind, text.to_owned())));
        assert!(of_text("no patch").is_none());
    }
}
