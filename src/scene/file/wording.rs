//! What readers of YAML say, in the words of people who write scenes by hand.

/// What the reader says of a file's `text`, with elements and kinds of values named as a person would.
pub fn for_people(message: &str, text: &str) -> String {
    if let Some(fault) = syntax_fault(message, text) {
        return fault;
    }
    let mut said = message
        .replace("expected f32", "expected a number")
        .replace("expected i64", "expected a whole number")
        .replace("expected u32", "expected a whole number, 0 or more")
        .replace("expected u64", "expected a whole number, 0 or more")
        .replace("expected a boolean", "expected true or false")
        .replace("expected a sequence", "expected a list, whose entries begin with '- '")
        .replace("expected an array of length 3", "expected a list of three numbers, such as [0, 0, 0]")
        .replace("expected struct ", "expected a map: ");
    for (list, word) in [
        ("instances", "instance"),
        ("models", "model"),
        ("cameras", "camera"),
        ("levels", "level"),
        ("node-trees", "node tree"),
    ] {
        let Some(rest) = said.strip_prefix(list).and_then(|rest| rest.strip_prefix('[')) else { continue };
        if let Some((index, rest)) = rest.split_once(']')
            && let Ok(index) = index.parse::<u64>()
        {
            let rest = rest.strip_prefix('.').map_or_else(|| rest.to_owned(), |rest| format!(", {rest}"));
            said = format!("{word} {}{rest}", index.saturating_add(1));
        }
        break;
    }
    said
}

/// What is wrong with a text that is no YAML and how to mend it, where the reader names only rules of the format.
fn syntax_fault(message: &str, text: &str) -> Option<String> {
    let (rule, place) = message.split_once(" at line ")?;
    let mut numbers = place.split(|c: char| !c.is_ascii_digit()).filter_map(|number| number.parse::<usize>().ok());
    let (line, column) = (numbers.next()?, numbers.next()?);
    let place = format!("at line {line} column {column}");
    let found = || text.lines().nth(line.checked_sub(1)?)?.chars().nth(column.checked_sub(1)?);
    Some(match rule {
        "found character that cannot start any token" => match found()? {
            '\t' => format!("line {line} is indented by a tab; indent it with spaces"),
            mark => format!("no text begins with '{mark}' {place}; put it in quotes"),
        },
        "mapping values are not allowed in this context" => {
            format!(
                "there is a ': ' {place} where no key may stand; put a text that holds one in quotes, or mend the indentation"
            )
        }
        "found unknown escape character" => {
            format!("a backslash {place} is no escape; write '/' or two backslashes, or put the text in single quotes")
        }
        "did not find expected '-' indicator" | "did not find expected key" => {
            format!("the text {place} does not belong where it stands; indent the line as those beside it")
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use crate::scene::file::load_str;
    use std::path::Path;

    #[test]
    fn faults_of_texts_written_by_hand_say_how_to_mend_them() {
        for (text, said) in [
            ("levels:\n\t- level-name: a", "line 2 is indented by a tab; indent it with spaces"),
            ("levels:\n  - level-name: @a", "no text begins with '@' at line 2 column 17; put it in quotes"),
            ("levels:\n  - level-name: a: b", "put a text that holds one in quotes"),
            ("levels:\n  - level-file: \"C:\\levels\\a.obj\"", "write '/' or two backslashes"),
            (
                "levels:\n  - level-name: a\n   level-file: b",
                "at line 3 column 4 does not belong where it stands; indent",
            ),
            ("settings: {gravity-enabled: yes}", "invalid type: string \"yes\", expected true or false"),
            ("levels: {level-name: a}", "levels: invalid type: map, expected a list, whose entries begin with '- '"),
            (
                "instances: [{position: 1 2 3}]",
                "instance 1, position: invalid type: string \"1 2 3\", expected a list of three numbers",
            ),
        ] {
            let message = load_str(&format!("version: 9.0\n{text}\n"), Path::new("a.acfg")).unwrap_err().to_string();
            // The version stands above.
            let said = said.replace("line 3", "line 4").replace("line 2", "line 3");
            assert!(message.contains(&said), "{said}: {message}");
        }
    }
}
