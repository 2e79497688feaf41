//! The model's plan: a list of steps that a tool keeps, or a text.

use std::sync::Arc;

use crate::agent::block::ToolCall;
use crate::json::raw::{RawJson, RawText};

/// More steps are not kept.
const MOST_STEPS: usize = 200;
/// Longer texts are cut.
const MOST_CHARACTERS: usize = 2_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct PlanStep {
    /// The program's name for it, if it has one.
    pub id: Option<Box<str>>,
    pub text: Box<str>,
    pub status: Box<str>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Plan {
    pub steps: Arc<Vec<PlanStep>>,
    pub text: Option<Arc<str>>,
}

fn text(value: Option<RawText<'_>>) -> Option<Box<str>> {
    value.map(|text| text.characters().take(MOST_CHARACTERS).collect::<String>().into())
}

impl Plan {
    /// A call of a tool that changes the plan.
    pub(crate) fn see_call(&mut self, tool: &str, call: &ToolCall<'_>) {
        let Some(input) = call.input else { return };
        match tool {
            "TodoWrite" => self.set(input.get("todos"), "content"),
            "ExitPlanMode" => self.set_text(input.text_of("plan")),
            "TaskUpdate" => self.update(input),
            "update_plan" => {
                // Arguments may be JSON in a string.
                let arguments = input.text().map(RawText::get);
                let object = arguments.as_ref().map_or(Some(input), |text| RawJson::of(text.as_bytes()));
                self.set(object.and_then(|object| object.get("plan")), "step");
            }
            _ => {}
        }
    }

    /// The result of a call that adds a step, which gives it a name.
    pub(crate) fn see_result(&mut self, tool: &str, details: Option<RawJson<'_>>) {
        let Some(task) = details.filter(|_| tool == "TaskCreate").and_then(|details| details.get("task")) else {
            return;
        };
        if self.steps.len() < MOST_STEPS {
            let (id, subject) = (text(task.text_of("id")), text(task.text_of("subject")));
            let step = PlanStep { id, text: subject.unwrap_or_default(), status: "pending".into() };
            Arc::make_mut(&mut self.steps).push(step);
        }
    }

    pub(crate) fn set_text(&mut self, plan: Option<RawText<'_>>) {
        if let Some(plan) = text(plan) {
            self.text = Some(plan.into());
        }
    }

    fn set(&mut self, list: Option<RawJson<'_>>, name: &str) {
        let Some(list) = list.filter(|list| list.is_array()) else { return };
        let step = |step: RawJson<'_>| PlanStep {
            id: text(step.text_of("id")),
            text: text(step.text_of(name)).unwrap_or_default(),
            status: text(step.text_of("status")).unwrap_or_default(),
        };
        self.steps = Arc::new(list.elements().take(MOST_STEPS).map(step).collect());
    }

    fn update(&mut self, input: RawJson<'_>) {
        let Some(id) = input.text_of("taskId").map(RawText::get) else { return };
        let Some(place) = self.steps.iter().position(|step| step.id.as_deref() == Some(&*id)) else { return };
        let (status, subject) = (text(input.text_of("status")), text(input.text_of("subject")));
        let step = &mut Arc::make_mut(&mut self.steps)[place];
        step.status = status.unwrap_or(std::mem::take(&mut step.status));
        step.text = subject.unwrap_or(std::mem::take(&mut step.text));
    }
}
