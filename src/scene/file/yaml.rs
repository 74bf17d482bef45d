//! Single values as YAML text: numbers, quoted strings, and unknown values on one line.

use serde_yaml::Value;
use std::fmt::Write;

/// A number as the shortest text that reads back as the same `f32`. Zero has no sign.
pub fn number(value: f32) -> String {
    let size = value.abs();
    if value == 0.0 {
        "0".into()
    } else if (1e-4..1e7).contains(&size) {
        format!("{value}")
    } else {
        format!("{value:e}")
    }
}

/// A string, plain where no reader can take it for something else, else in double quotes.
pub fn string(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./ ".contains(c);
    let starts_well = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let reserved = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    if starts_well
        && text.chars().all(plain)
        && !text.ends_with(' ')
        && !reserved.contains(&text.to_ascii_lowercase().as_str())
    {
        text.to_owned()
    } else {
        quoted(text)
    }
}

/// A property's text: numbers stay plain, but for integers that readers of YAML do not know, beyond 64 bits.
pub fn scalar(text: &str) -> String {
    let number = !text.is_empty() && text.len() < 40 && text.chars().all(|c| c.is_ascii_digit() || "+-.".contains(c));
    let fits = text.contains('.') || text.parse::<i64>().is_ok();
    if number && fits && text.parse::<f64>().is_ok() { text.to_owned() } else { string(text) }
}

/// Deepest brackets that a string is written with.
const MAX_BRACKETS: usize = 100;

/// Whether brackets of a text stay open, or more are open at once than [`MAX_BRACKETS`]: what is read counts those that are
/// open, those within strings too, and refuses a file with very many.
fn leaves_open(text: &str) -> bool {
    let (mut open, mut most) = (0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'[' | b'{' => open += 1,
            b']' | b'}' => open = open.saturating_sub(1),
            _ => {}
        }
        most = most.max(open);
    }
    open > 0 || most > MAX_BRACKETS
}

fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    let leaves_open = leaves_open(text);
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '[' if leaves_open => out.push_str("\\x5b"),
            '{' if leaves_open => out.push_str("\\x7b"),
            c if needs_escape(c) => escape(&mut out, c),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Whether readers of YAML refuse a character as it is, or take it for the end of a line.
fn needs_escape(c: char) -> bool {
    c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
}

/// A character as its number, in the way that JSON and YAML share.
fn escape(out: &mut String, c: char) {
    // Writing to a string cannot fail.
    let _ = write!(out, "\\u{:04x}", c as u32);
}

/// One line of JSON as one of YAML, which still is JSON: what its strings hold is escaped as in any other string.
pub fn from_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    // Between quotes that are not escaped, every other piece is a string.
    let (mut rest, mut is_string) = (json, false);
    loop {
        let mut is_escaped = false;
        let quote = rest.bytes().position(|byte| {
            let ends = byte == b'"' && !is_escaped;
            is_escaped = byte == b'\\' && !is_escaped;
            ends
        });
        let piece = &rest[..quote.unwrap_or(rest.len())];
        let leaves_open = is_string && leaves_open(piece);
        for c in piece.chars() {
            if needs_escape(c) || leaves_open && matches!(c, '[' | '{') {
                escape(&mut out, c);
            } else {
                out.push(c);
            }
        }
        let Some(quote) = quote else { return out };
        out.push('"');
        (rest, is_string) = (&rest[quote + 1..], !is_string);
    }
}

/// Any value on one line, in the form that all YAML readers know.
pub fn flow(value: &Value) -> String {
    match value {
        Value::Null => "~".into(),
        Value::Bool(b) => b.to_string(),
        Value::Number(n) => match n.as_f64() {
            Some(f) if n.is_f64() => float(f),
            _ => n.to_string(),
        },
        Value::String(text) => string(text),
        Value::Sequence(items) => format!("[{}]", items.iter().map(flow).collect::<Vec<_>>().join(", ")),
        Value::Mapping(map) => {
            let pairs = map.iter().map(|(key, value)| format!("{}: {}", flow(key), flow(value)));
            format!("{{{}}}", pairs.collect::<Vec<_>>().join(", "))
        }
        // The census lets no tag through.
        Value::Tagged(tagged) => flow(&tagged.value),
    }
}

fn float(f: f64) -> String {
    if f.is_nan() {
        ".nan".into()
    } else if f.is_infinite() {
        if f > 0.0 { ".inf".into() } else { "-.inf".into() }
    } else {
        format!("{f:?}")
    }
}

/// A kept value as one line of YAML; text that is no YAML becomes a string.
pub fn kept(text: &str) -> String {
    match serde_yaml::from_str::<Value>(text) {
        Ok(value) => flow(&value),
        Err(_) => quoted(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_back_bit_for_bit() {
        for value in [5.0, 0.1, 1.490_116e-8, -0.314, 1e30, f32::MAX, f32::MIN_POSITIVE, 123_456.79] {
            let back: f32 = serde_yaml::from_str(&number(value)).unwrap();
            assert_eq!(back.to_bits(), value.to_bits(), "{value}");
        }
        assert_eq!(number(-0.0), "0");
        assert_eq!(number(5.0), "5");
    }

    #[test]
    fn integers_beyond_64_bits_are_saved_as_text() {
        assert_eq!(scalar("-3"), "-3");
        assert_eq!(scalar("1.5"), "1.5");
        let text = "99999999999999999999500000";
        let back: Value = serde_yaml::from_str(&scalar(text)).unwrap();
        assert_eq!(back.as_str(), Some(text));
    }

    #[test]
    fn brackets_in_strings_add_up_to_no_nesting() {
        for text in ["{".repeat(3), "a [b] {c} [".into(), format!("{}{}", "[".repeat(200), "]".repeat(200))] {
            let written = string(&text);
            assert!(!written.contains(['[', '{']), "{written}");
            assert_eq!(serde_yaml::from_str::<String>(&written).unwrap(), text);
        }
        assert_eq!(string("Bot [2] {x}"), "\"Bot [2] {x}\"");
    }

    #[test]
    fn strings_stay_strings() {
        for text in [
            "Woman.gltf",
            "",
            "8.0",
            "true",
            "No",
            "~",
            "a: b",
            "# c",
            "tab\tnew\nline \"q\" \\ é \u{7f}",
            " x ",
            "1e5",
            "-",
            "y",
            "\u{85} \u{feff} \u{fffe} \u{ffff}",
        ] {
            let back: Value = serde_yaml::from_str(&string(text)).unwrap();
            assert_eq!(back, Value::String(text.into()));
            let back: String = serde_yaml::from_str(&scalar(text)).unwrap();
            assert_eq!(back, text);
        }
        assert_eq!(scalar("0.500000"), "0.500000");
    }

    #[test]
    fn strings_of_json_are_read_as_they_are() {
        for text in ["arm [", "{{{", "a \"[\" \\", "\\\\\" [ {x}", "\u{7f}\u{85}\u{2028}\u{feff}\u{ffff}", "Bot [2]"] {
            let json = serde_json::to_string(&[text, "b"]).unwrap();
            let written = from_json(&json);
            assert_eq!(serde_yaml::from_str::<[String; 2]>(&written).unwrap(), [text, "b"], "{written}");
            assert_eq!(serde_json::from_str::<[String; 2]>(&written).unwrap(), [text, "b"], "{written}");
            assert!(!leaves_open(&written), "{written}");
        }
        assert_eq!(from_json("{\"a\":[1,{\"b [1]\":null}]}"), "{\"a\":[1,{\"b [1]\":null}]}");
    }

    #[test]
    fn any_value_fits_on_one_line() {
        let text = "a: [1, -2.5, 1e100, .nan, .inf, ~, true, \"x: y\"]\n? [1]\n: {b: \"1\"}\n18446744073709551615: |\n  two\n  lines\n";
        let value: Value = serde_yaml::from_str(text).unwrap();
        let line = flow(&value);
        assert!(!line.contains('\n'));
        assert_eq!(kept(&line), line);
        assert_eq!(format!("{:?}", serde_yaml::from_str::<Value>(&line).unwrap()), format!("{value:?}"));
    }
}
