//! Messages about what a file holds, without the file itself.

use std::fmt::Display;

/// Characters of a message that are kept at its beginning, which says what is wrong.
const HEAD: usize = 120;
/// Characters that are kept at its end, which says where.
const TAIL: usize = 160;

/// The message of a parser on one line, with its middle left out where it is long: parsers quote what they did not
/// expect, and where a file is of quite another kind, that is all of it.
pub fn shortened(message: &impl Display) -> String {
    let text = message.to_string().replace(['\n', '\r'], " ");
    let length = text.chars().count();
    if length <= HEAD + TAIL + 1 {
        return text;
    }
    let place = |characters: usize| text.char_indices().nth(characters).map_or(text.len(), |(at, _)| at);
    format!("{}…{}", &text[..place(HEAD)], &text[place(length - TAIL)..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_keeps_its_ends() {
        assert_eq!(shortened(&"short\nand clear"), "short and clear");
        let long = format!("invalid type: string \"{}\", expected a sequence at line 2", "ä".repeat(100_000));
        let short = shortened(&long);
        assert_eq!(short.chars().count(), HEAD + TAIL + 1);
        assert!(short.starts_with("invalid type: string \"ä") && short.ends_with("ä\", expected a sequence at line 2"));
        let just = "x".repeat(HEAD + TAIL + 1);
        assert_eq!(shortened(&just), just);
    }
}
