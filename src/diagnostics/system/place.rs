//! What encloses us: containers, virtual machines, another system's kernel; and in which language.

use super::gaps::Gaps;
use crate::prelude::*;

/// What encloses this process.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Container {
    /// `docker`, `podman`, `kubernetes`, `lxc`, …; nothing = none that we know.
    pub kind: Option<String>,
    /// What gave it away.
    pub sign: Option<String>,
    /// The virtual machine's product, as its firmware says.
    pub machine: Option<String>,
    /// Whether this is Linux on Windows.
    pub wsl: bool,
}

impl Container {
    pub(super) fn look(env: &BTreeMap<String, String>, gaps: &Gaps) -> Self {
        let (kind, sign) = kind(env, gaps).unzip();
        let release = gaps.read("/proc/sys/kernel/osrelease").unwrap_or_default();
        let wsl = release.to_ascii_lowercase().contains("microsoft");
        let firmware = |what: &str| {
            gaps.read(&format!("/sys/class/dmi/id/{what}"))
                .ok()
                .filter(|text| !text.is_empty())
        };
        let product = firmware("product_name").filter(|product| {
            let text = format!("{} {product}", firmware("sys_vendor").unwrap_or_default());
            let text = text.to_ascii_lowercase();
            [
                "virtual",
                "kvm",
                "qemu",
                "vmware",
                "xen",
                "firecracker",
                "hvm",
                "google compute",
                "amazon ec2",
                "bochs",
                "openstack",
            ]
            .iter()
            .any(|name| text.contains(name))
        });
        Self {
            kind,
            sign,
            machine: product,
            wsl,
        }
    }
}

fn kind(env: &BTreeMap<String, String>, gaps: &Gaps) -> Option<(String, String)> {
    let named = |name: &str, sign: &str| Some((name.to_owned(), sign.to_owned()));
    if env.contains_key("KUBERNETES_SERVICE_HOST") {
        return named("kubernetes", "KUBERNETES_SERVICE_HOST");
    }
    if gaps.path("/run/.containerenv").exists() {
        return named("podman", "/run/.containerenv");
    }
    if gaps.path("/.dockerenv").exists() {
        return named("docker", "/.dockerenv");
    }
    // systemd's convention, which most runtimes follow.
    if let Ok(text) = gaps.read("/run/systemd/container")
        && !text.is_empty()
    {
        return Some((text, "/run/systemd/container".to_owned()));
    }
    if let Some(name) = env.get("container").filter(|name| !name.is_empty()) {
        return Some((name.clone(), "the variable container".to_owned()));
    }
    let groups = gaps.read("/proc/1/cgroup").unwrap_or_default();
    ["docker", "kubepods", "lxc", "libpod", "containerd"]
        .iter()
        .find(|name| groups.contains(**name))
        .map(|name| ((*name).to_owned(), "/proc/1/cgroup".to_owned()))
}

/// The language that programs speak here.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Locale {
    /// The locale of text: `de_DE.UTF-8`; nothing = none is set, which means `C`.
    pub language: Option<String>,
    /// Which variable said so.
    pub variable: Option<&'static str>,
    /// Whether text is UTF-8.
    pub utf8: bool,
    /// The time zone: `Europe/Berlin`.
    pub time_zone: Option<String>,
}

impl Locale {
    pub(crate) fn of(env: &BTreeMap<String, String>, gaps: &mut Gaps) -> Self {
        let found = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(|name| {
            let value = env.get(name).filter(|value| !value.is_empty())?;
            Some((value.clone(), name))
        });
        let (language, variable) = found.unzip();
        let utf8 = language.as_ref().is_some_and(|language| {
            let language = language.to_ascii_lowercase();
            language.contains("utf-8") || language.contains("utf8")
        });
        let zone = jiff::tz::TimeZone::try_system();
        let zone = zone.map(|zone| zone.iana_name().map(str::to_owned));
        let time_zone = gaps.take("locale.time_zone", zone);
        if time_zone == Some(None) {
            let why = "the system's time zone has rules, but no name";
            gaps.note("locale.time_zone", why);
        }
        Self {
            language,
            variable,
            utf8,
            time_zone: time_zone.flatten(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn containers_by_their_signs() {
        let dir = tempfile::tempdir().unwrap();
        let gaps = Gaps::new(dir.path());
        let mut env = BTreeMap::new();
        assert_eq!(Container::look(&env, &gaps), Container::default());
        fs::create_dir_all(dir.path().join("proc/1")).unwrap();
        fs::write(dir.path().join("proc/1/cgroup"), "0::/kubepods/x").unwrap();
        let found = Container::look(&env, &gaps);
        assert_eq!(found.kind.as_deref(), Some("kubepods"));
        fs::write(dir.path().join(".dockerenv"), "").unwrap();
        let found = Container::look(&env, &gaps);
        assert_eq!(found.kind.as_deref(), Some("docker"));
        env.insert("KUBERNETES_SERVICE_HOST".to_owned(), "10.0.0.1".to_owned());
        let found = Container::look(&env, &gaps);
        assert_eq!(found.sign.as_deref(), Some("KUBERNETES_SERVICE_HOST"));
    }

    #[test]
    fn the_first_variable_decides_the_language() {
        let mut gaps = Gaps::new(Path::new("/"));
        let env = BTreeMap::from([
            ("LANG".to_owned(), "de_DE.UTF-8".to_owned()),
            ("LC_ALL".to_owned(), "C".to_owned()),
        ]);
        let locale = Locale::of(&env, &mut gaps);
        assert_eq!((locale.variable, locale.utf8), (Some("LC_ALL"), false));
    }
}
