//! Predicates on tool names. The two predicates differ because they belong to two parts of the engine.

/// Tools whose writes are reported to the editor.
pub(crate) fn is_edit(name: &str) -> bool {
    matches!(name, "edit_file" | "write_file" | "apply_patch" | "multi_tool_use.parallel") || name.starts_with("edit_")
}

/// Tools whose success resets the loop guard.
pub(crate) fn writes_state(name: &str) -> bool {
    const NAMES: [&str; 4] = ["create_dirs", "refactor_imports", "restore_file", "draft_skill"];
    const SHELLS: [&str; 3] = ["exec_shell", "exec_shell_wait", "exec_shell_interact"];
    const PARTS: [&str; 4] = ["write", "edit", "patch", "delete"];
    let contains =
        |part: &str| name.as_bytes().windows(part.len()).any(|window| window.eq_ignore_ascii_case(part.as_bytes()));
    NAMES.contains(&name)
        || SHELLS.iter().any(|shell| name.eq_ignore_ascii_case(shell))
        || PARTS.iter().any(|part| contains(part))
}

/// The call to which a sub-step of a composite tool belongs: `c1` for `c1:step:0`.
pub(crate) fn composite_parent(call_id: &str) -> Option<&str> {
    let (parent, number) = call_id.rsplit_once(":step:")?;
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(parent)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_predicates_differ_where_the_engine_does() {
        assert!(is_edit("edit_x") && writes_state("edit_x"));
        assert!(is_edit("multi_tool_use.parallel") && !writes_state("multi_tool_use.parallel"));
        assert!(!is_edit("write_office") && writes_state("write_office"));
        assert!(writes_state("Exec_Shell") && writes_state("my_DELETE") && !writes_state("Create_dirs"));
    }

    #[test]
    fn sub_steps_name_their_call() {
        assert_eq!(composite_parent("c1:step:0"), Some("c1"));
        assert_eq!(composite_parent("c1:step:"), None);
        assert_eq!(composite_parent("c1"), None);
    }
}
