//! Lists of what still breaks a rule, which may only get shorter.

use super::parts::root;
use std::collections::BTreeSet;
use std::fs;

/// Compares what breaks a rule with `tests/house/allowed/LIST.txt`, one entry a line. What the list lacks fails. With
/// `HOUSE_STRICT=1`, as in `scripts/test.sh`, so does an entry that is needed no longer. `UPDATE_HOUSE=1` rewrites a list
/// that has become shorter, or whose entries were renamed.
pub fn check(list: &str, rule: &str, found: &BTreeSet<String>) {
    let path = root().join("tests/house/allowed").join(format!("{list}.txt"));
    let text = fs::read_to_string(&path).unwrap_or_default();
    let allowed: BTreeSet<String> = text.lines().filter(|l| !l.is_empty()).map(str::to_owned).collect();
    if std::env::var_os("UPDATE_HOUSE").is_some() && found.len() <= allowed.len() {
        let text: String = found.iter().map(|entry| format!("{entry}\n")).collect();
        fs::write(&path, text).unwrap();
        return;
    }
    let is_strict = std::env::var_os("HOUSE_STRICT").is_some();
    let needed = if is_strict { allowed } else { allowed.intersection(found).cloned().collect() };
    let faults = faults(&needed, found);
    let mend = "UPDATE_HOUSE=1 cargo test --test house rewrites a list that has become shorter";
    assert!(faults.is_empty(), "{rule}\n{}\n(the list is tests/house/allowed/{list}.txt; {mend})", faults.join("\n"));
}

/// What a list lacks, and what it holds in vain.
fn faults(allowed: &BTreeSet<String>, found: &BTreeSet<String>) -> Vec<String> {
    let new = found.difference(allowed).map(|entry| format!("  new: {entry}"));
    let stale = allowed.difference(found).map(|entry| format!("  mended, so take it off the list: {entry}"));
    new.chain(stale).collect()
}

#[test]
fn lists_fail_in_both_directions() {
    let set = |entries: &[&str]| entries.iter().map(|e| (*e).to_owned()).collect::<BTreeSet<String>>();
    assert_eq!(faults(&set(&["a"]), &set(&["a"])), [""; 0]);
    assert_eq!(faults(&set(&[]), &set(&["a"])), ["  new: a"]);
    assert_eq!(faults(&set(&["a"]), &set(&[])), ["  mended, so take it off the list: a"]);
}
