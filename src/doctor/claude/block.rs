//! The blocks of a message: what the rules ask about them, without their texts.

use memchr::memmem;

use crate::doctor::image::{Image, inspect};
use crate::doctor::names::{Name, Names};
use crate::doctor::shape::{At, Shape};
use crate::json::string::{Escaped, Escapes};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BlockKind {
    Text,
    Thinking,
    RedactedThinking,
    ToolUse,
    ToolResult,
    /// A call that the provider answers itself, in the same message.
    ServerCall,
    ServerResult,
    Image,
    Other,
    /// An element of the content that is not a block at all; it is not sent.
    Stray,
}

/// What a text is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fill {
    Empty,
    /// White space only.
    Blank,
    Full,
}

#[derive(Clone, Debug)]
pub(crate) struct ClaudeBlock {
    pub kind: BlockKind,
    /// The type as it is written.
    pub kind_name: Name,
    /// The id of a call, or the call that a result answers.
    pub id: Option<Name>,
    /// The name of the tool that is called.
    pub tool: Option<Name>,
    /// Of a text.
    pub fill: Fill,
    /// Thinking has its signature, or its data.
    pub is_signed: bool,
    pub has_lone_surrogate: bool,
    pub has_nul: bool,
    /// As it is written.
    pub bytes: u32,
    pub parts: Option<Box<BlockParts>>,
}

/// What is inside a block or the content of a result.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockParts {
    /// Images with their index in the content of a result; `None` for a block that is an image itself.
    pub images: Vec<(Option<u32>, Image)>,
    /// The tools that references name.
    pub references: Vec<Name>,
}

impl ClaudeBlock {
    pub(crate) fn is_thinking(&self) -> bool {
        matches!(self.kind, BlockKind::Thinking | BlockKind::RedactedThinking)
    }

    pub(crate) fn is_blank_text(&self) -> bool {
        self.kind == BlockKind::Text && self.fill == Fill::Blank
    }

    pub(crate) fn is_empty_text(&self) -> bool {
        self.kind == BlockKind::Text && self.fill == Fill::Empty
    }
}

/// The blocks of a message's content. A text alone is one text block, an empty one none.
pub(crate) fn blocks(shape: &Shape, content: Option<At>, names: &mut Names) -> Box<[ClaudeBlock]> {
    let Some(content) = content else { return Box::default() };
    if shape.is_string(content) {
        let fill = fill(shape, content);
        return if fill == Fill::Empty { Box::default() } else { Box::new([text_alone(shape, content, fill, names)]) };
    }
    shape.elements(content).map(|element| block(shape, element, names)).collect()
}

fn text_alone(shape: &Shape, content: At, fill: Fill, names: &mut Names) -> ClaudeBlock {
    let mut block = plain(shape, content, names.name("text"));
    (block.kind, block.fill) = (BlockKind::Text, fill);
    block
}

fn plain(shape: &Shape, at: At, kind_name: Name) -> ClaudeBlock {
    let (has_lone_surrogate, has_nul) = marks(shape, at);
    ClaudeBlock {
        kind: BlockKind::Other,
        kind_name,
        id: None,
        tool: None,
        fill: Fill::Full,
        is_signed: true,
        has_lone_surrogate,
        has_nul,
        bytes: shape.span(at).len() as u32,
        parts: None,
    }
}

fn block(shape: &Shape, at: At, names: &mut Names) -> ClaudeBlock {
    let kind_name = shape.text_of(at, "type").unwrap_or_default();
    let mut block = plain(shape, at, names.name(&kind_name));
    block.kind = if shape.is_object(at) { kind(&kind_name) } else { BlockKind::Stray };
    let id_member = match block.kind {
        BlockKind::ToolUse | BlockKind::ServerCall => "id",
        BlockKind::ToolResult | BlockKind::ServerResult => "tool_use_id",
        _ => "",
    };
    if !id_member.is_empty() {
        block.id = Some(names.name(&shape.text_of(at, id_member).unwrap_or_default()));
    }
    match block.kind {
        BlockKind::Text => block.fill = shape.get(at, "text").map_or(Fill::Empty, |text| fill(shape, text)),
        BlockKind::Thinking => block.is_signed = has_text(shape, at, "signature"),
        BlockKind::RedactedThinking => block.is_signed = has_text(shape, at, "data"),
        BlockKind::ToolUse => {
            // Only the input is sent as the user's tool wrote it; Claude Code repairs other texts.
            let input = shape.get(at, "input").map_or((false, false), |input| marks(shape, input));
            (block.has_lone_surrogate, block.has_nul) = input;
        }
        BlockKind::ServerCall => block.tool = shape.text_of(at, "name").map(|name| names.name(&name)),
        BlockKind::Image => block.parts = image_parts(shape, at),
        BlockKind::ToolResult => block.parts = parts_of_result(shape, at, names),
        BlockKind::ServerResult | BlockKind::Other | BlockKind::Stray => {}
    }
    block
}

fn kind(name: &str) -> BlockKind {
    match name {
        "text" => BlockKind::Text,
        "thinking" => BlockKind::Thinking,
        "redacted_thinking" => BlockKind::RedactedThinking,
        "tool_use" => BlockKind::ToolUse,
        "tool_result" => BlockKind::ToolResult,
        "server_tool_use" | "mcp_tool_use" => BlockKind::ServerCall,
        "image" => BlockKind::Image,
        name if name.ends_with("_tool_result") => BlockKind::ServerResult,
        _ => BlockKind::Other,
    }
}

fn has_text(shape: &Shape, at: At, name: &str) -> bool {
    shape.text_of(at, name).is_some_and(|text| !text.is_empty())
}

fn fill(shape: &Shape, text: At) -> Fill {
    match shape.text(text) {
        None => Fill::Empty,
        Some(text) if text.is_empty() => Fill::Empty,
        Some(text) if text.chars().all(|character| character.is_whitespace() || character == '\u{feff}') => Fill::Blank,
        Some(_) => Fill::Full,
    }
}

/// Whether the strings of a value hold half a surrogate pair, and a NUL.
fn marks(shape: &Shape, at: At) -> (bool, bool) {
    if memmem::find(shape.raw(at), b"\\u").is_none() {
        return (false, false);
    }
    let escapes = shape.strings(at).flat_map(|string| Escapes::new(shape.inside(string)));
    escapes.fold((false, false), |(half, nul), escape| match escape.stands_for {
        Escaped::HalfPair => (true, nul),
        Escaped::Character('\0') => (half, true),
        _ => (half, nul),
    })
}

fn image_parts(shape: &Shape, at: At) -> Option<Box<BlockParts>> {
    let image = image(shape, at)?;
    Some(Box::new(BlockParts { images: vec![(None, image)], ..BlockParts::default() }))
}

/// `None` for an image that is not in the line, such as an address.
fn image(shape: &Shape, at: At) -> Option<Image> {
    let source = shape.get(at, "source")?;
    if shape.text_of(source, "type").as_deref() != Some("base64") {
        return None;
    }
    let media_type = shape.text_of(source, "media_type").unwrap_or_default();
    let data = shape.get(source, "data").filter(|data| shape.is_string(*data));
    Some(match data {
        None => Image::Unreadable,
        Some(data) if shape.inside(data).contains(&b'\\') => {
            inspect(&media_type, shape.text(data).unwrap_or_default().as_bytes())
        }
        Some(data) => inspect(&media_type, shape.inside(data)),
    })
}

fn parts_of_result(shape: &Shape, at: At, names: &mut Names) -> Option<Box<BlockParts>> {
    let mut parts = BlockParts::default();
    for (index, part) in shape.elements(shape.get(at, "content")?).enumerate() {
        match shape.text_of(part, "type").as_deref() {
            Some("image") => parts.images.extend(image(shape, part).map(|image| (Some(index as u32), image))),
            Some("tool_reference") => {
                parts.references.extend(shape.text_of(part, "tool_name").map(|name| names.name(&name)));
            }
            _ => {}
        }
    }
    let is_empty = parts.images.is_empty() && parts.references.is_empty();
    (!is_empty).then(|| Box::new(parts))
}
