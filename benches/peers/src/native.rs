//! The peers in C++, behind one small set of C functions each.

use crate::engine::Engine;
use crate::scene::{FRAME, GRAVITY, SWEEPS, Scene};
use std::ffi::c_void;
use std::ptr::NonNull;

/// `Scene` of cpp/scene.h.
#[repr(C)]
pub struct NativeScene {
    particles: u32,
    positions: *const f32,
    inverse_masses: *const f32,
    links: u32,
    ends: *const u32,
    gravity: f32,
    damping: f32,
}

/// The functions of one peer.
#[derive(Debug, Clone, Copy)]
pub struct Functions {
    new: unsafe extern "C" fn(*const NativeScene, u32, u32) -> *mut c_void,
    frame: unsafe extern "C" fn(*mut c_void, f32),
    links: unsafe extern "C" fn(*const c_void) -> u32,
    positions: unsafe extern "C" fn(*const c_void, *mut f32),
    delete: unsafe extern "C" fn(*mut c_void),
}

#[cfg(bullet)]
mod bullet_functions {
    #![expect(unsafe_code, reason = "C++ is called; the signatures are those of cpp/bullet.cpp")]
    use super::{NativeScene, c_void};

    unsafe extern "C" {
        pub fn bullet_new(scene: *const NativeScene, steps: u32, iterations: u32) -> *mut c_void;
        pub fn bullet_frame(cloth: *mut c_void, seconds: f32);
        pub fn bullet_links(cloth: *const c_void) -> u32;
        pub fn bullet_positions(cloth: *const c_void, out: *mut f32);
        pub fn bullet_delete(cloth: *mut c_void);
    }
}

#[cfg(jolt)]
mod jolt_functions {
    #![expect(unsafe_code, reason = "C++ is called; the signatures are those of cpp/jolt.cpp")]
    use super::{NativeScene, c_void};

    unsafe extern "C" {
        pub fn jolt_new(scene: *const NativeScene, steps: u32, iterations: u32) -> *mut c_void;
        pub fn jolt_frame(cloth: *mut c_void, seconds: f32);
        pub fn jolt_links(cloth: *const c_void) -> u32;
        pub fn jolt_positions(cloth: *const c_void, out: *mut f32);
        pub fn jolt_delete(cloth: *mut c_void);
    }
}

/// Bullet, or why it is not here.
pub fn bullet() -> Result<Functions, &'static str> {
    #[cfg(bullet)]
    {
        use bullet_functions::*;
        Ok(Functions {
            new: bullet_new,
            frame: bullet_frame,
            links: bullet_links,
            positions: bullet_positions,
            delete: bullet_delete,
        })
    }
    #[cfg(not(bullet))]
    Err("its headers were not there when this was built (apt-get install libbullet-dev, then touch build.rs)")
}

/// Jolt, or why it is not here.
pub fn jolt() -> Result<Functions, &'static str> {
    #[cfg(jolt)]
    {
        use jolt_functions::*;
        #[cfg(target_arch = "x86_64")]
        if !(is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") && is_x86_feature_detected!("bmi1")) {
            return Err("it is compiled for AVX2 and FMA, which this processor lacks");
        }
        Ok(Functions {
            new: jolt_new,
            frame: jolt_frame,
            links: jolt_links,
            positions: jolt_positions,
            delete: jolt_delete,
        })
    }
    #[cfg(not(jolt))]
    Err("its sources could not be had when this was built")
}

/// One sheet in a peer.
pub struct Cloth {
    functions: Functions,
    handle: NonNull<c_void>,
    particles: usize,
}

impl Cloth {
    /// `scene` in the peer of `functions`, which cuts a frame into `steps` and a step into as many iterations as
    /// make the sweeps of a frame.
    #[expect(unsafe_code, reason = "the peer reads the scene only during the call, within the lengths given")]
    pub fn new(functions: Functions, scene: &Scene, steps: u32) -> Self {
        let native = NativeScene {
            particles: scene.positions.len() as u32,
            positions: scene.positions.as_flattened().as_ptr(),
            inverse_masses: scene.inverse_masses.as_ptr(),
            links: scene.links.len() as u32,
            ends: scene.links.as_flattened().as_ptr(),
            gravity: GRAVITY,
            damping: scene.damping,
        };
        let handle = unsafe { (functions.new)(&native, steps, SWEEPS / steps) };
        let handle = NonNull::new(handle).expect("C++'s new returns no null");
        Cloth { functions, handle, particles: scene.positions.len() }
    }
}

impl Engine for Cloth {
    #[expect(unsafe_code, reason = "the handle lives as long as self")]
    fn frame(&mut self) -> Result<(), String> {
        unsafe { (self.functions.frame)(self.handle.as_ptr(), FRAME) };
        Ok(())
    }

    #[expect(unsafe_code, reason = "the handle lives as long as self")]
    fn links(&self) -> usize {
        unsafe { (self.functions.links)(self.handle.as_ptr()) as usize }
    }

    #[expect(unsafe_code, reason = "the peer writes three numbers a particle, and there is room for them")]
    fn positions(&self) -> Vec<[f32; 3]> {
        let mut out = vec![[0.0; 3]; self.particles];
        unsafe { (self.functions.positions)(self.handle.as_ptr(), out.as_flattened_mut().as_mut_ptr()) };
        out
    }
}

impl Drop for Cloth {
    #[expect(unsafe_code, reason = "the handle is deleted once, here")]
    fn drop(&mut self) {
        unsafe { (self.functions.delete)(self.handle.as_ptr()) };
    }
}
