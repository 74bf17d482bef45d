//! Options that take one of a list of names: shells complete them, and help and manual list them.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::error::Error;

/// Takes one of `names`, or of the `earlier` ones, which nothing lists; `parse` knows them all.
pub fn one_of<T, E>(
    names: impl IntoIterator<Item = &'static str>,
    earlier: impl IntoIterator<Item = &'static str>,
    parse: impl Fn(&str) -> Result<T, E> + Clone + Send + Sync + 'static,
) -> impl TypedValueParser<Value = T>
where
    T: Clone + Send + Sync + 'static,
    E: Error + Send + Sync + 'static,
{
    let listed = names.into_iter().map(PossibleValue::new);
    let unlisted = earlier.into_iter().map(|name| PossibleValue::new(name).hide(true));
    PossibleValuesParser::new(listed.chain(unlisted)).try_map(move |name| parse(&name))
}
