//! Processor, memory, load, graphics: what the machine is made of.

use serde::Serialize;
use sysinfo::{CpuRefreshKind, MemoryRefreshKind, RefreshKind, System};

use super::gaps::Gaps;

/// What a processor is called that does not say its model.
const UNKNOWN_CPU: &str = "Unknown CPU";
/// Graphics cards that are looked at.
const MOST_CARDS: usize = 16;

/// How many processes wanted to run, on average over 1, 5 and 15 minutes.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Load {
    /// Over one minute.
    pub one: f64,
    /// Over five.
    pub five: f64,
    /// Over fifteen.
    pub fifteen: f64,
}

/// Memory in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Memory {
    pub total: u64,
    /// Used by nobody.
    pub free: u64,
    /// What programs can still have: free, and caches that can go.
    pub available: u64,
    /// Swap space.
    pub swap_total: u64,
    /// Swap space used by nobody.
    pub swap_free: u64,
}

/// A graphics processor.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Gpu {
    /// The kernel's name for it: `card0`.
    pub name: String,
    /// The maker, or its number.
    pub vendor: String,
    /// The device's number: `0x2684`.
    pub device: Option<String>,
    /// The kernel's driver.
    pub driver: Option<String>,
}

/// What the processor is called, and the machine's memory.
pub fn cpu_and_memory(gaps: &mut Gaps) -> (String, Option<Memory>) {
    let kinds = RefreshKind::nothing()
        .with_cpu(CpuRefreshKind::nothing())
        .with_memory(MemoryRefreshKind::everything());
    let system = System::new_with_specifics(kinds);
    let system = gaps.take("memory", system);
    let brand = system
        .as_ref()
        .and_then(|s| s.cpus().first())
        .map(|cpu| cpu.brand().trim().to_owned());
    let memory = system.as_ref().map(|s| Memory {
        total: s.total_memory(),
        free: s.free_memory(),
        available: s.available_memory(),
        swap_total: s.total_swap(),
        swap_free: s.free_swap(),
    });
    let memory = memory.filter(|memory| memory.total > 0);
    if system.is_some() && memory.is_none() {
        gaps.note("memory", "the kernel does not say how much there is");
    }
    (cpu_name(brand, gaps), memory)
}

/// How busy the machine is.
pub fn load(gaps: &mut Gaps) -> Option<Load> {
    let load = System::load_average().map(|load| Load {
        one: load.one,
        five: load.five,
        fifteen: load.fifteen,
    });
    gaps.take("load", load)
}

/// Seconds since the machine was started.
pub fn uptime(gaps: &mut Gaps) -> Option<u64> {
    gaps.take("uptime", System::uptime())
}

/// Processors that this process may run on.
pub fn cpus(gaps: &mut Gaps) -> Option<usize> {
    let cpus = std::thread::available_parallelism().map(std::num::NonZero::get);
    gaps.take("cpus", cpus)
}

fn cpu_name(brand: Option<String>, gaps: &mut Gaps) -> String {
    brand.filter(|brand| !brand.is_empty()).unwrap_or_else(|| {
        gaps.note("cpu", "the processor does not say its model");
        UNKNOWN_CPU.to_owned()
    })
}

pub fn os(gaps: &mut Gaps) -> Option<String> {
    let release = gaps.take("os", System::kernel_version())?;
    // Only Linux has the file; elsewhere the library knows the name.
    let name = gaps.read("/proc/sys/kernel/ostype");
    let name = name.or_else(|_no_file| System::kernel_long_version());
    let name = name
        .ok()
        .and_then(|text| text.split(' ').next().map(str::to_owned));
    let name = name.unwrap_or_else(|| std::env::consts::OS.to_owned());
    Some(format!("{name} {release} ({})", std::env::consts::OS))
}

/// The distribution's name from `os-release`, or the product's with its version.
pub fn os_name(gaps: &mut Gaps) -> Option<String> {
    let text = gaps
        .read("/etc/os-release")
        .or_else(|first| gaps.read("/usr/lib/os-release").map_err(|_second| first));
    let text = gaps.take("os_name", text)?;
    let name = text.lines().find_map(|line| {
        let value = line.trim().strip_prefix("PRETTY_NAME=")?;
        Some(value.trim_matches(['"', '\'']).to_owned())
    });
    if name.is_none() {
        gaps.note("os_name", "os-release has no PRETTY_NAME");
    }
    name
}

/// Graphics cards as the kernel lists them; no library is asked, which would load a driver.
pub fn gpus(gaps: &Gaps) -> Vec<Gpu> {
    let entries = std::fs::read_dir(gaps.path("/sys/class/drm"));
    let mut names: Vec<String> = entries
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        // `card0-HDMI-A-1` is a socket of card0.
        .filter(|name| {
            name.strip_prefix("card")
                .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
        })
        .collect();
    names.sort();
    names.truncate(MOST_CARDS);
    names
        .into_iter()
        .map(|name| {
            let file = |what: &str| {
                gaps.read(&format!("/sys/class/drm/{name}/device/{what}"))
                    .ok()
            };
            let vendor = file("vendor").unwrap_or_else(|| "unknown".to_owned());
            Gpu {
                vendor: match vendor.as_str() {
                    "0x10de" => "NVIDIA".to_owned(),
                    "0x1002" => "AMD".to_owned(),
                    "0x8086" => "Intel".to_owned(),
                    "0x1af4" => "virtio".to_owned(),
                    "0x15ad" => "VMware".to_owned(),
                    _ => vendor,
                },
                device: file("device"),
                driver: file("uevent").and_then(|text| {
                    let line = text.lines().find_map(|l| l.strip_prefix("DRIVER="))?;
                    Some(line.to_owned())
                }),
                name,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_processor_without_a_model_breaks_nothing() {
        let mut gaps = Gaps::new(std::path::Path::new("/"));
        assert_eq!(cpu_name(Some(String::new()), &mut gaps), "Unknown CPU");
        assert_eq!(cpu_name(None, &mut gaps), "Unknown CPU");
        assert_eq!(cpu_name(Some("Z80".to_owned()), &mut gaps), "Z80");
        assert_eq!(gaps.into_list().len(), 2);
    }
}
