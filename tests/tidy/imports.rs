//! The imports between the modules of the screen: they must not form a cycle.
//!
//! A module is a file. Declaring a submodule is not an import, so the file of a folder may list its submodules.

use std::collections::{BTreeMap, BTreeSet};

use super::{Source, accept, blanked, is_word, sources};

type Module = Vec<String>;

fn module_of(source: &Source) -> Module {
    source.modules().into_iter().map(str::to_owned).collect()
}

/// Every path in the code that begins at the crate's root, at a parent module or at a submodule, as names from the
/// root. Groups are expanded: `use super::{a, b::C}` is two paths.
fn paths(code: &str, module: &[String], modules: &BTreeSet<Module>) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let children = modules.iter().filter(|known| known.len() == module.len() + 1 && known.starts_with(module));
    for child in children {
        let beginning = format!("{}::", child[module.len()]);
        let is_path = |at: &usize| !code[..*at].ends_with(is_word) && !code[..*at].ends_with("::");
        let uses = code.match_indices(&beginning).filter(|(at, _)| is_path(at));
        uses.for_each(|(at, _)| expand(&code[at..], module, &mut found));
    }
    for beginning in ["crate::", "super::", "self::"] {
        for (at, _) in code.match_indices(beginning) {
            let before = &code[..at];
            if before.ends_with(is_word) || before.ends_with("::") {
                continue;
            }
            let mut rest = &code[at..];
            let mut base: Vec<String> = Vec::new();
            if let Some(tail) = rest.strip_prefix("crate::") {
                rest = tail;
            } else {
                base = module.to_vec();
                rest = rest.strip_prefix("self::").unwrap_or(rest);
                while let Some(tail) = rest.strip_prefix("super::") {
                    base.pop();
                    rest = tail;
                }
            }
            expand(rest, &base, &mut found);
        }
    }
    found
}

/// Follows a path, and each branch of a group in it.
fn expand(rest: &str, base: &[String], found: &mut Vec<Vec<String>>) {
    let rest = rest.trim_start();
    if let Some(group) = rest.strip_prefix('{') {
        let (mut depth, mut from) = (0_u32, 0);
        for (at, character) in group.char_indices() {
            match character {
                '{' => depth += 1,
                '}' if depth == 0 => {
                    expand(&group[from..at], base, found);
                    break;
                }
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    expand(&group[from..at], base, found);
                    from = at + 1;
                }
                _ => {}
            }
        }
        return;
    }
    let end = rest.find(|character| !is_word(character)).unwrap_or(rest.len());
    let mut path = base.to_vec();
    if !rest[..end].is_empty() && &rest[..end] != "self" {
        path.push(rest[..end].to_owned());
    }
    match rest[end..].strip_prefix("::") {
        Some(tail) => expand(tail, &path, found),
        None => found.push(path),
    }
}

/// The modules of a folder that each module imports.
fn imports(sources: &[Source]) -> BTreeMap<Module, BTreeSet<Module>> {
    let modules: BTreeSet<Module> = sources.iter().map(module_of).collect();
    let imported = |source: &Source| {
        let module = module_of(source);
        let code = source.code_without_tests();
        // The longest prefix of a path that is a module is the file that defines the name.
        let defining = |path: Vec<String>| {
            (1..=path.len()).rev().map(|length| path[..length].to_vec()).find(|path| modules.contains(path))
        };
        let found =
            paths(&code, &module, &modules).into_iter().filter_map(defining).filter(|found| *found != module).collect();
        (module, found)
    };
    sources.iter().map(imported).collect()
}

/// A cycle of imports that contains a module, if there is one.
fn circle(from: &Module, imports: &BTreeMap<Module, BTreeSet<Module>>) -> Option<Vec<Module>> {
    let mut seen = BTreeSet::new();
    let mut open = vec![vec![from.clone()]];
    while let Some(way) = open.pop() {
        for next in way.last().and_then(|last| imports.get(last)).into_iter().flatten() {
            if next == from {
                return Some(way);
            }
            if seen.insert(next.clone()) {
                open.push(way.iter().chain([next]).cloned().collect());
            }
        }
    }
    None
}

fn name(module: &Module) -> String {
    module.join("::")
}

#[test]
fn no_two_modules_of_the_screen_import_each_other() {
    let sources: Vec<Source> =
        sources("src", ".rs").into_iter().filter(|source| source.modules()[0] == "tui").collect();
    let imports = imports(&sources);
    let mut complaints = BTreeSet::new();
    for (module, imported) in &imports {
        for other in imported.iter().filter(|other| imports[*other].contains(module)) {
            let (one, two) = (module.min(other), module.max(other));
            complaints.insert(format!("{} and {} import each other", name(one), name(two)));
        }
    }
    accept(&complaints.into_iter().collect::<Vec<_>>());
    let circles = imports.keys().filter_map(|module| circle(module, &imports));
    let cycles = circles.map(|way| way.iter().map(name).collect::<Vec<_>>().join(" imports "));
    accept(&cycles.collect::<Vec<_>>());
}

#[test]
fn imports_are_found_in_every_spelling() {
    let source = |path: &str, text: &str| Source { path: path.to_owned(), text: text.to_owned() };
    let all = [
        source("src/tui.rs", "mod a; mod b; mod c;"),
        source("src/tui/a.rs", "mod d; use super::{b::Thing, c};\n#[cfg(test)]\nmod tests { use crate::tui::e::E; }"),
        source("src/tui/a/d.rs", "use crate::tui::{a, b::{self, One}}; // crate::tui::c"),
        source("src/tui/b.rs", "mod h; use h::H; fn f() { super::c::g() }"),
        source("src/tui/b/h.rs", "pub struct H;"),
        source("src/tui/c.rs", "use super::a::d::D;"),
        source("src/tui/e.rs", "pub struct E;"),
    ];
    let found = imports(&all);
    let of = |module: &str| {
        let module: Module = module.split("::").map(str::to_owned).collect();
        found[&module].iter().map(name).collect::<Vec<_>>()
    };
    assert_eq!(of("tui::a"), ["tui::b", "tui::c"]);
    assert_eq!(of("tui::a::d"), ["tui::a", "tui::b"]);
    assert_eq!(of("tui::b"), ["tui::b::h", "tui::c"]);
    assert_eq!(of("tui::c"), ["tui::a::d"]);
    assert!(of("tui::e").is_empty() && blanked("// x").trim().is_empty());
    let way = circle(&vec!["tui".to_owned(), "c".to_owned()], &found).expect("a circle");
    assert!(way.len() > 2, "{way:?}");
}
