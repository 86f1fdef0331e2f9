//! What the machine is called.

use super::report::MachineFacts;
use pennon::sim::lanes::Path;
use std::env::consts::ARCH;

/// This machine.
pub fn machine() -> MachineFacts {
    let cpuinfo = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    MachineFacts {
        processor: processor(&cpuinfo).unwrap_or_else(|| ARCH.to_owned()),
        architecture: ARCH.to_owned(),
        cores: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        path: Path::best().name().to_owned(),
        paths: Path::available().iter().map(|path| path.name().to_owned()).collect(),
    }
}

/// Its name as Linux tells it.
fn processor(cpuinfo: &str) -> Option<String> {
    let line = cpuinfo.lines().find(|line| line.starts_with("model name"))?;
    let name = line.split_once(':')?.1.split_whitespace().collect::<Vec<_>>().join(" ");
    (!name.is_empty()).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_has_a_name_where_the_system_tells() {
        let cpuinfo = "processor\t: 0\nmodel\t\t: 17\nmodel name\t: A  Processor 9 @ 2.0GHz\nstepping\t: 1\n";
        assert_eq!(processor(cpuinfo).as_deref(), Some("A Processor 9 @ 2.0GHz"));
        assert_eq!(processor("processor\t: 0\nBogoMIPS\t: 100.00\n"), None);
        assert_eq!(processor("model name\t:\n"), None);
        assert!(!machine().processor.is_empty());
    }
}
