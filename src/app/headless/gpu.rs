//! `walkabout gpu`: which graphics adapters there are, and which one the program draws with and why.

use super::one_of::one_of;
use super::output::{Usage, print_line};
use crate::gpu::choice::{GpuChoice, backend_by_name, backend_names, backends_of_environment, lacks, least_limits};
use crate::gpu::{GpuContext, GpuError};
use crate::render::quality::Quality;
use crate::render::quality_probe::fitting_quality;
use serde_json::{Value, json};
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  walkabout gpu
  walkabout gpu --backend gl --json

The environment variables WGPU_BACKEND and WGPU_ADAPTER_NAME choose where the options do not.";

/// What to draw with.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct DeviceArgs {
    /// Drawing interface. Without: Vulkan, Metal or Direct3D 12, whichever the system has.
    #[arg(long, value_name = "NAME", value_parser = one_of(backend_names(), [], backend_by_name))]
    pub backend: Option<wgpu::Backends>,

    /// Graphics adapter by a part of its name; `walkabout gpu` lists them.
    #[arg(long, value_name = "NAME")]
    pub adapter: Option<String>,

    /// Quality of the picture. Without: the level that fits the adapter.
    #[arg(long, value_name = "LEVEL", value_parser = one_of(Quality::ALL.map(Quality::name), [], Quality::by_name))]
    pub quality: Option<Quality>,
}

impl DeviceArgs {
    /// Makes what was typed the choice of the program.
    ///
    /// # Errors
    /// `WGPU_BACKEND` names none that is known, and no option stands in its place.
    pub fn choose(&self) -> Result<(), Usage> {
        if self.backend.is_none() {
            backends_of_environment().map_err(|error| Usage(error.to_string()))?;
        }
        GpuChoice { backends: self.backend, adapter: self.adapter.clone() }.for_program();
        if let Some(quality) = self.quality {
            quality.for_program();
        }
        Ok(())
    }
}

/// List the graphics adapters, and say which one the program draws with.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct GpuArgs {
    #[command(flatten)]
    #[allow(missing_docs, reason = "a doc comment would replace the help text of the command")]
    pub device: DeviceArgs,

    /// Print JSON to standard output, with all limits and features.
    #[arg(long)]
    pub json: bool,
}

/// Runs the command.
///
/// # Errors
/// When there is no such adapter.
pub fn run(args: &GpuArgs) -> anyhow::Result<ExitCode> {
    args.device.choose()?;
    let choice = GpuChoice::of_program();
    let adapters = GpuContext::adapters(&choice)?;
    let chosen = adapters.iter().position(|adapter| lacks(adapter).is_empty());
    let why = reason(&choice, chosen);
    if args.json {
        // The others are not opened, and not measured.
        let quality = chosen.map(|_| fitting_quality(&GpuContext::headless()?, Quality::of_program())).transpose()?;
        let listed: Vec<Value> = adapters
            .iter()
            .enumerate()
            .map(|(i, adapter)| as_json(adapter, quality.filter(|_| chosen == Some(i))))
            .collect();
        let report = json!({ "adapters": listed, "chosen": chosen, "why": why, "needed": limits(&least_limits()) });
        print_line(&serde_json::to_string_pretty(&report)?)?;
    } else {
        for (i, adapter) in adapters.iter().enumerate() {
            let info = adapter.get_info();
            let mark = if chosen == Some(i) { '*' } else { ' ' };
            print_line(&format!(
                "{mark} {} ({}, {:?}) driver {} {}",
                info.name, info.backend, info.device_type, info.driver, info.driver_info
            ))?;
            for short in lacks(adapter) {
                print_line(&format!("    too weak: {short}"))?;
            }
        }
        print_line(&why)?;
    }
    match (chosen, adapters.first()) {
        (None, Some(first)) => {
            let short = lacks(first).join(", ");
            Err(GpuError::TooWeak { adapter: first.get_info().name, short }.into())
        }
        _ => Ok(ExitCode::SUCCESS),
    }
}

fn reason(choice: &GpuChoice, chosen: Option<usize>) -> String {
    match (chosen, &choice.adapter, choice.backends) {
        (None, ..) => "None is strong enough to draw with.".into(),
        (_, Some(name), _) => format!("Drawn with *: the first that is called '{name}'."),
        (_, None, Some(_)) => "Drawn with *: the fastest kind of device behind the backend asked for.".into(),
        (_, None, None) => "Drawn with *: the fastest kind of device.".into(),
    }
}

/// An adapter with its quality level, if it is the chosen one.
fn as_json(adapter: &wgpu::Adapter, quality: Option<Quality>) -> Value {
    let (info, offered) = (adapter.get_info(), adapter.limits());
    let features: Vec<&str> = adapter.features().iter_names().map(|(name, _)| name).collect();
    json!({
        "name": info.name,
        "backend": info.backend.to_string(),
        "type": format!("{:?}", info.device_type),
        "driver": format!("{} {}", info.driver, info.driver_info).trim(),
        "chosen": quality.is_some(),
        "too_weak": lacks(adapter),
        "quality": quality.map(Quality::name),
        "timestamps": adapter.features().contains(wgpu::Features::TIMESTAMP_QUERY),
        "limits": limits(&offered),
        "features": features,
    })
}

/// Limits by name. One that is not listed does not exist.
fn limits(limits: &wgpu::Limits) -> serde_json::Map<String, Value> {
    let mut by_name = serde_json::Map::new();
    wgpu::Limits::unlimited().check_limits_with_fail_fn(limits, false, |name, _, value| {
        by_name.insert(name.to_owned(), value.into());
    });
    by_name
}
