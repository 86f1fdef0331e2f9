//! Reads the sources and proves that each layer imports only layers below it.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The library's layers from the lowest up. Those on one line do not know each other.
const LAYERS: &[&[&str]] =
    &[&["math"], &["params", "sim"], &["perform"], &["export"], &["live"], &["control"], &["stage"], &["capture"]];

fn height(layer: &str) -> Option<usize> {
    LAYERS.iter().position(|line| line.contains(&layer))
}

/// Every Rust file below `folder` with its text without comments.
fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|end| end == "rs") {
            let text = fs::read_to_string(&path).expect("a source");
            found.push((path, without_comments(&text)));
        }
    }
    found
}

fn without_comments(text: &str) -> String {
    text.lines().map(|line| line.split_once("//").map_or(line, |(code, _)| code)).collect::<Vec<_>>().join("\n")
}

/// First path segments that stand after `prefix` in `code`: `a`, and `a` and `b` for `prefix{a::c, b}`.
fn segments_after<'a>(code: &'a str, prefix: &str) -> Vec<&'a str> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices(prefix) {
        // `my_crate::x` is another path.
        if code[..at].ends_with(|before: char| before.is_alphanumeric() || before == '_') {
            continue;
        }
        let rest = &code[at + prefix.len()..];
        match rest.strip_prefix('{') {
            Some(group) => found.extend(top_of_group(group)),
            None => found.push(word(rest)),
        }
    }
    found
}

/// The first words of the parts of a group, nested groups left out, up to its closing brace.
fn top_of_group(group: &str) -> Vec<&str> {
    let (mut depth, mut start, mut parts) = (0, 0, Vec::new());
    for (at, part) in group.char_indices() {
        match part {
            '{' => depth += 1,
            '}' if depth == 0 => {
                parts.push(word(group[start..at].trim_start()));
                break;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(word(group[start..at].trim_start()));
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

fn word(text: &str) -> &str {
    let end = text.find(|part: char| !part.is_alphanumeric() && part != '_').unwrap_or(text.len());
    &text[..end]
}

/// Layers that a file of the library names: through `crate::`, and through `super::` where it climbs out.
fn imports(inside: &Path, code: &str) -> Vec<String> {
    let mut named: Vec<String> = segments_after(code, "crate::").into_iter().map(str::to_owned).collect();
    // The module's depth below the crate: `sim/air/drag.rs` is sim::air::drag, three deep.
    let is_mod = inside.file_stem().is_some_and(|stem| stem == "mod");
    let depth = inside.components().count() - usize::from(is_mod);
    // An inline module, such as the tests at a file's end, is one deeper than its file, so its climb
    // to the crate has one `super` more.
    for climb in [depth, depth + 1] {
        named.extend(segments_after(code, &"super::".repeat(climb)).into_iter().map(str::to_owned));
    }
    named.retain(|name| height(name).is_some());
    named
}

#[test]
fn layers_import_only_downward() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files: BTreeMap<String, usize> = BTreeMap::new();
    let mut faults = Vec::new();
    for (path, code) in sources(&root) {
        let inside = path.strip_prefix(&root).expect("a file below src");
        let first = inside.components().next().expect("a name").as_os_str().to_string_lossy();
        let layer = first.trim_end_matches(".rs").to_owned();
        let Some(own) = height(&layer) else {
            assert!(
                matches!(layer.as_str(), "lib" | "main" | "bench" | "cli" | "files" | "progress"),
                "{layer} is neither a layer nor a part of the program"
            );
            continue;
        };
        *files.entry(layer.clone()).or_default() += 1;
        for name in imports(inside, &code) {
            let below = height(&name).is_some_and(|other| other < own);
            if !below && name != layer {
                faults.push(format!("{} imports {name}", inside.display()));
            }
        }
    }
    assert!(faults.is_empty(), "a layer imports only layers below it:\n{}", faults.join("\n"));
    let layers = LAYERS.iter().map(|line| line.len()).sum::<usize>();
    assert_eq!(files.len(), layers, "layers with files: {files:?}");
}

#[test]
fn the_core_names_no_window_and_no_socket() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for layer in ["math.rs", "sim", "params", "perform", "export"] {
        let path = root.join(layer);
        let files = if path.is_dir() {
            sources(&path)
        } else {
            vec![(path.clone(), fs::read_to_string(&path).expect("a source"))]
        };
        for (path, code) in files {
            for stranger in ["bevy", "nannou", "rosc", "midir", "wgpu", "std::net", "Instant::now", "SystemTime"] {
                let code = without_comments(&code);
                assert!(!code.contains(stranger), "{} names {stranger}", path.display());
            }
        }
    }
}

#[test]
fn climbing_and_grouped_imports_are_seen() {
    let imports = |inside: &str, code: &str| imports(Path::new(inside), &without_comments(code));
    assert_eq!(imports("sim/wind.rs", "use crate::params::{Preset, stage::x};"), ["params"]);
    assert_eq!(
        imports("sim/wind.rs", "use crate::{math, stage::{self, capture}, live::Player};"),
        ["math", "stage", "live"]
    );
    assert_eq!(imports("sim/wind.rs", "use super::super::live::X;"), ["live"]);
    assert_eq!(imports("sim/air/drag.rs", "use super::super::super::{live};"), ["live"]);
    assert_eq!(imports("sim/mod.rs", "use super::live::X;"), ["live"]);
    assert_eq!(imports("sim/wind.rs", "fn f() { crate::stage::run() } // crate::capture"), ["stage"]);
    assert_eq!(imports("sim/wind.rs", "use my_crate::live; use super::stage;"), Vec::<String>::new());
}
