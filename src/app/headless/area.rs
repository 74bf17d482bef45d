//! What ground costs and is like, as it is typed: costs and marks of areas, and how an agent weighs marks.

use super::error::ArgError;
use crate::scene::SceneNav;
use crate::scene::limits::{MAX_AREAS, check_nav};
use crate::scene::nav::{AreaRule, Mark, MarkWeights};
use clap::{Args, ValueEnum};

/// Options for areas and marks; each overrides what a scene says.
#[derive(Clone, Debug, Default, Args)]
pub struct AreaArgs {
    /// On a navigation mesh: what a metre costs in an area (0 to 63), 1 to 1000000, such as 7=2.5; may be given more than
    /// once. Where areas cost differently, the exact planners find the cheapest path with a proven bound ('cost' and
    /// 'lower_bound'); with a radius they search as funnel does, and say so ('notes').
    #[arg(long, value_name = "AREA=COST", value_parser = parse_cost)]
    area_cost: Vec<(u8, f32)>,

    /// For the planner 'tactical': what the ground of an area is, such as 7=slow,cover: slow, amphibious, cover,
    /// vulnerable, or nothing after the sign for no mark; may be given more than once.
    #[arg(long, value_name = "AREA=MARKS", value_parser = parse_marks)]
    area_marks: Vec<AreaMarks>,

    /// For the planner 'tactical': the factor on a metre of marked ground, such as slow=3: slow, amphibious and
    /// vulnerable at least 1, cover, and concealment (0 to 1); may be given more than once.
    #[arg(long, value_name = "MARK=FACTOR", value_parser = parse_weight)]
    weight: Vec<(Weight, f32)>,
}

/// An area and its marks.
#[derive(Clone, Debug)]
struct AreaMarks {
    area: u8,
    marks: Vec<Mark>,
}

/// Which of a scene's `weights`.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Weight {
    Slow,
    Amphibious,
    Cover,
    Concealment,
    Vulnerable,
}

impl AreaArgs {
    /// Whether one of the options was typed.
    pub fn is_given(&self) -> bool {
        !(self.area_cost.is_empty() && self.area_marks.is_empty() && self.weight.is_empty())
    }

    /// Writes what was typed over what a scene says.
    ///
    /// # Errors
    /// A number out of its range.
    pub fn apply(&self, nav: &mut SceneNav) -> anyhow::Result<()> {
        for &(area, cost) in &self.area_cost {
            rule(nav, area).cost = cost;
        }
        for AreaMarks { area, marks } in &self.area_marks {
            rule(nav, *area).marks.clone_from(marks);
        }
        for &(weight, factor) in &self.weight {
            let MarkWeights { slow, amphibious, cover, concealment, vulnerable } = &mut nav.weights;
            match weight {
                Weight::Slow => *slow = factor,
                Weight::Amphibious => *amphibious = Some(factor),
                Weight::Cover => *cover = factor,
                Weight::Concealment => *concealment = factor,
                Weight::Vulnerable => *vulnerable = factor,
            }
        }
        // A scene that was loaded is in order: what is wrong was typed.
        if let Err(reason) = check_nav(nav) {
            super::output::misused!("with the options given the navigation {reason}");
        }
        Ok(())
    }
}

/// What a scene says about an area, to be changed.
fn rule(nav: &mut SceneNav, area: u8) -> &mut AreaRule {
    let at = nav.areas.iter().position(|rule| rule.area == area).unwrap_or_else(|| {
        nav.areas.push(AreaRule { area, ..AreaRule::default() });
        nav.areas.len() - 1
    });
    &mut nav.areas[at]
}

fn missing_equals(text: &str, form: &'static str) -> ArgError {
    ArgError::NoSign { text: text.to_owned(), form }
}

fn parse_area(text: &str) -> Result<(u8, &str), ArgError> {
    let (area, value) = text.split_once('=').ok_or_else(|| missing_equals(text, "AREA=VALUE"))?;
    let number = area.trim().parse().ok().filter(|&n: &u8| usize::from(n) < MAX_AREAS);
    let number = number.ok_or_else(|| ArgError::Area(area.to_owned()))?;
    Ok((number, value))
}

fn parse_number(text: &str) -> Result<f32, ArgError> {
    text.trim().parse().map_err(|_| ArgError::Number(text.to_owned()))
}

fn parse_cost(text: &str) -> Result<(u8, f32), ArgError> {
    let (area, cost) = parse_area(text)?;
    Ok((area, parse_number(cost)?))
}

fn parse_marks(text: &str) -> Result<AreaMarks, ArgError> {
    let (area, names) = parse_area(text)?;
    let mark = |name: &str| match name.trim() {
        "slow" => Ok(Mark::Slow),
        "amphibious" => Ok(Mark::Amphibious),
        "cover" => Ok(Mark::Cover),
        "vulnerable" => Ok(Mark::Vulnerable),
        other => Err(ArgError::Mark(other.to_owned())),
    };
    let marks = names.split(',').filter(|name| !name.trim().is_empty()).map(mark).collect::<Result<_, _>>()?;
    Ok(AreaMarks { area, marks })
}

fn parse_weight(text: &str) -> Result<(Weight, f32), ArgError> {
    let (name, factor) = text.split_once('=').ok_or_else(|| missing_equals(text, "MARK=FACTOR"))?;
    let weight = Weight::from_str(name.trim(), true).map_err(|_| ArgError::Weight(name.to_owned()))?;
    Ok((weight, parse_number(factor)?))
}
