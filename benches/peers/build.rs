//! Compiles the peers written in C++: Bullet from the system's package, Jolt from the sources in its crate.
//!
//! A peer that is not to be had is left out with a warning; the bench says so too.

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=cpp");
    println!("cargo:rerun-if-env-changed=BULLET_INCLUDE");
    println!("cargo:rustc-check-cfg=cfg(bullet, jolt)");
    bullet();
    match jolt_sources() {
        Ok(sources) => jolt(&sources),
        Err(reason) => println!("cargo:warning=Jolt is left out: {reason}"),
    }
}

/// The driver alone is compiled here; Bullet itself stays as the distribution built it.
fn bullet() {
    let include = std::env::var("BULLET_INCLUDE").unwrap_or_else(|_| "/usr/include/bullet".to_owned());
    if !Path::new(&include).join("BulletSoftBody/btSoftBody.h").is_file() {
        println!("cargo:warning=Bullet is left out: no headers in {include} (apt-get install libbullet-dev)");
        return;
    }
    cc::Build::new()
        .cpp(true)
        .std("c++17")
        .file("cpp/bullet.cpp")
        .opt_level(3)
        .define("NDEBUG", None)
        // Headers of a system are not ours to warn about.
        .flag(format!("-isystem{include}"))
        .compile("peer_bullet");
    for library in ["BulletSoftBody", "BulletDynamics", "BulletCollision", "LinearMath"] {
        println!("cargo:rustc-link-lib=dylib={library}");
    }
    println!("cargo:rustc-cfg=bullet");
}

/// Where cargo keeps the sources of Jolt; it fetches them where they are not there yet.
fn jolt_sources() -> Result<PathBuf, String> {
    let target = std::env::var("TARGET").map_err(|error| error.to_string())?;
    let output = Command::new(std::env::var("CARGO").map_err(|error| error.to_string())?)
        .args(["metadata", "--format-version", "1", "--features", "sources", "--locked", "--filter-platform", &target])
        .output()
        .map_err(|error| format!("cargo metadata does not start: {error}"))?;
    if !output.status.success() {
        let text = String::from_utf8_lossy(&output.stderr);
        return Err(format!("cargo metadata: {}", text.trim().replace('\n', " / ")));
    }
    let metadata: serde_json::Value =
        serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))?;
    let packages = metadata["packages"].as_array().ok_or("cargo metadata names no packages")?;
    let manifest = packages
        .iter()
        .find(|package| package["name"] == "joltc-sys")
        .and_then(|package| package["manifest_path"].as_str())
        .ok_or("cargo metadata does not name joltc-sys")?;
    let sources = Path::new(manifest).with_file_name("JoltC").join("JoltPhysics");
    if sources.join("Jolt/Jolt.h").is_file() { Ok(sources) } else { Err(format!("no Jolt in {}", sources.display())) }
}

/// Files that Jolt is compiled as: enough for the cores of a desktop.
const GROUPS: usize = 8;

/// As its own CMake file builds a distribution for x86-64: -O3, AVX2 and FMA, no contraction, no asserts, no profiler.
fn jolt(sources: &Path) {
    let mut files = Vec::new();
    collect(&sources.join("Jolt"), &mut files);
    files.sort();
    let Ok(folder) = std::env::var("OUT_DIR") else { return };
    // A file for each group: Jolt's headers, read once a group and not once a file, are most of the work.
    let groups: Vec<PathBuf> = files
        .chunks(files.len().div_ceil(GROUPS).max(1))
        .enumerate()
        .filter_map(|(number, group)| {
            let path = Path::new(&folder).join(format!("jolt_{number}.cpp"));
            let text: String = group.iter().map(|file| format!("#include \"{}\"\n", file.display())).collect();
            std::fs::write(&path, text).ok().map(|()| path)
        })
        .collect();
    let mut build = cc::Build::new();
    build
        .cpp(true)
        .std("c++17")
        .opt_level(3)
        .warnings(false)
        .include(sources)
        .define("NDEBUG", None)
        .flag("-ffp-contract=off")
        .flag("-pthread")
        .files(&groups)
        .file("cpp/jolt.cpp");
    if std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "x86_64") {
        for set in ["SSE4_1", "SSE4_2", "AVX", "AVX2", "LZCNT", "TZCNT", "F16C", "FMADD"] {
            build.define(&format!("JPH_USE_{set}"), None);
        }
        for flag in ["-mavx2", "-mbmi", "-mpopcnt", "-mlzcnt", "-mf16c", "-mfma"] {
            build.flag(flag);
        }
    }
    build.compile("peer_jolt");
    println!("cargo:rustc-cfg=jolt");
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "cpp") {
            files.push(path);
        }
    }
}
