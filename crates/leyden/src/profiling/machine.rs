//! The facts about the machine and the moment in a report.

use std::fs;
use std::num::NonZeroUsize;
use std::time::{SystemTime, UNIX_EPOCH};

use leyden_profile::model::{Hardware, Version};

pub(super) fn hardware() -> Hardware {
    Hardware {
        cpu: field("/proc/cpuinfo", "model name").unwrap_or_else(|| "unknown".to_owned()),
        cores: std::thread::available_parallelism().map_or(1, NonZeroUsize::get) as u32,
        memory_bytes: memory().unwrap_or(0),
        os: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        device: None,
    }
}

pub(super) fn versions() -> Vec<Version> {
    vec![Version {
        name: "leyden".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    }]
}

fn memory() -> Option<u64> {
    let text = field("/proc/meminfo", "MemTotal")?;
    let kilobytes: u64 = text.strip_suffix(" kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// The first value with this name in a file of `name : value` lines.
fn field(path: &str, name: &str) -> Option<String> {
    let text = fs::read_to_string(path).ok()?;
    let mut values = text.lines().filter_map(|line| line.split_once(':'));
    let value = values.find(|(key, _)| key.trim() == name)?.1;
    Some(value.trim().to_owned())
}

/// The moment, as RFC 3339 in UTC.
pub(super) fn now() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    rfc3339(now.map_or(0, |since| since.as_secs()))
}

fn rfc3339(seconds: u64) -> String {
    let (day, second) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil(day);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// The Gregorian date of a day counted from 1970. Years are counted from March, so that the day
/// that is sometimes missing comes last.
fn civil(day: u64) -> (u64, u64, u64) {
    let day = day + 719_468;
    let (era, day) = (day / 146_097, day % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, is_next) = if month < 10 {
        (month + 3, 0)
    } else {
        (month - 9, 1)
    };
    (era * 400 + year + is_next, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_right() {
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00Z");
        assert_eq!(rfc3339(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(rfc3339(1_735_689_599), "2024-12-31T23:59:59Z");
        assert_eq!(rfc3339(1_740_830_461), "2025-03-01T12:01:01Z");
    }
}
