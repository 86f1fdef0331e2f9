//! The parameter table: one row a parameter, and every reader reads it here.
//!
//! A range, a default, a unit, an address or a line of documentation is written in this file and nowhere
//! else. The OSC address, the `/norm` address, the preset key, the command-line flag, the reference in
//! the README and `params --json` are derived. Addresses never change; a renamed row keeps its old name
//! in [`Row::aliases`].
//!
//! Cues (momentary) and readouts (what the flag tells) are the second and third table.

use super::range::{Curve, Range};
use super::values::Value;

/// What a row holds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// A real number in plain units.
    Float {
        /// Its interval and curve.
        range: Range,
        /// Its value at rest.
        default: f32,
        /// True for an angle whose two ends are the same place: glides go the short way.
        cyclic: bool,
    },
    /// A whole number, both ends included.
    Int {
        /// Lowest.
        min: i32,
        /// Highest.
        max: i32,
        /// Value at rest.
        default: i32,
        /// Whether `/norm` and MIDI reach it. A seed has no useful travel.
        travels: bool,
    },
    /// On or off.
    Switch {
        /// Value at rest.
        default: bool,
    },
    /// One of a few names.
    Choice {
        /// The names, in index order.
        names: &'static [&'static str],
        /// Index at rest.
        default: u8,
    },
    /// sRGB with straight alpha, each part 0..1.
    Colour {
        /// Value at rest.
        default: [f32; 4],
    },
}

/// One parameter.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    /// Stable name, `group.name`.
    pub id: &'static str,
    /// One sentence for people.
    pub doc: &'static str,
    /// Unit in text, `""` for a plain number.
    pub unit: &'static str,
    /// What it holds, with range and default.
    pub kind: Kind,
    /// Time constant of its glide in seconds; 0 jumps.
    pub glide: f32,
    /// Factory MIDI controller.
    pub controller: Option<u8>,
    /// Shown unfolded in a panel.
    pub primary: bool,
    /// A `[[flag]]` table may fix this row for its flag.
    pub per_flag: bool,
    /// Old names that still work.
    pub aliases: &'static [&'static str],
}

impl Row {
    const fn new(id: &'static str, unit: &'static str, kind: Kind, doc: &'static str) -> Self {
        Row { id, doc, unit, kind, glide: 0.0, controller: None, primary: false, per_flag: false, aliases: &[] }
    }

    const fn glide(mut self, seconds: f32) -> Self {
        self.glide = seconds;
        self
    }

    const fn cc(mut self, controller: u8) -> Self {
        self.controller = Some(controller);
        self
    }

    const fn primary(mut self) -> Self {
        self.primary = true;
        self
    }

    const fn per_flag(mut self) -> Self {
        self.per_flag = true;
        self
    }

    /// The part before the dot: the preset's table.
    pub fn group(&self) -> &'static str {
        self.id.split_once('.').map_or(self.id, |(group, _)| group)
    }

    /// The part after the dot: the preset's key.
    pub fn name(&self) -> &'static str {
        self.id.split_once('.').map_or(self.id, |(_, name)| name)
    }

    /// OSC address in plain units, `/wind/speed`.
    pub fn address(&self) -> String {
        format!("/{}", self.id.replace('.', "/"))
    }

    /// OSC address of the normalised travel, `/norm/wind/speed`, where there is one.
    pub fn norm_address(&self) -> Option<String> {
        self.travels().then(|| format!("/norm{}", self.address()))
    }

    /// Command-line flag without its dashes, `wind-speed`.
    pub fn flag(&self) -> String {
        self.id.replace(['.', '_'], "-")
    }

    /// Whether a fader can sweep it.
    pub fn travels(&self) -> bool {
        match self.kind {
            Kind::Int { travels, .. } => travels,
            Kind::Colour { .. } => false,
            _ => true,
        }
    }

    /// The word for its kind in the reference and in `params --json`.
    pub fn kind_name(&self) -> &'static str {
        match self.kind {
            Kind::Float { .. } => "float",
            Kind::Int { .. } => "int",
            Kind::Switch { .. } => "switch",
            Kind::Choice { .. } => "choice",
            Kind::Colour { .. } => "colour",
        }
    }

    /// The value at rest.
    pub fn default_value(&self) -> Value {
        match self.kind {
            Kind::Float { default, .. } => Value::Float(default),
            Kind::Int { default, .. } => Value::Int(default),
            Kind::Switch { default } => Value::Switch(default),
            Kind::Choice { default, .. } => Value::Choice(default),
            Kind::Colour { default } => Value::Colour(default),
        }
    }

    /// `value` turned into this row's kind and held inside its range.
    ///
    /// Numbers pass between the numeric kinds by rounding; `None` when the two kinds have nothing in
    /// common (a colour for a number) or the number is not finite.
    pub fn accept(&self, value: Value) -> Option<Value> {
        if let (Kind::Colour { .. }, Value::Colour(parts)) = (self.kind, value) {
            let ok = parts.iter().all(|part| part.is_finite());
            return ok.then(|| Value::Colour(parts.map(|part| part.clamp(0.0, 1.0))));
        }
        if let (Kind::Int { min, max, .. }, Value::Int(whole)) = (self.kind, value) {
            return Some(Value::Int(whole.clamp(min, max)));
        }
        let number = value.number()?;
        if !number.is_finite() {
            return None;
        }
        Some(match self.kind {
            Kind::Float { range, .. } => Value::Float(range.clamp(number as f32)),
            // The cast saturates, so a huge number lands on the end.
            Kind::Int { min, max, .. } => Value::Int((number.round_ties_even() as i32).clamp(min, max)),
            Kind::Switch { .. } => Value::Switch(number >= 0.5),
            Kind::Choice { names, .. } => {
                Value::Choice(number.round_ties_even().clamp(0.0, (names.len() - 1) as f64) as u8)
            }
            Kind::Colour { .. } => return None,
        })
    }

    /// The plain value at `travel` 0..1; `None` for rows that do not travel.
    pub fn from_travel(&self, travel: f32) -> Option<Value> {
        if !travel.is_finite() || !self.travels() {
            return None;
        }
        let travel = travel.clamp(0.0, 1.0);
        let step = |last: f32| (f64::from(travel) * f64::from(last)).round_ties_even();
        Some(match self.kind {
            Kind::Float { range, .. } => Value::Float(range.plain(travel)),
            Kind::Int { min, max, .. } => Value::Int(min + step((max - min) as f32) as i32),
            Kind::Switch { .. } => Value::Switch(travel >= 0.5),
            Kind::Choice { names, .. } => Value::Choice(step((names.len() - 1) as f32) as u8),
            Kind::Colour { .. } => return None,
        })
    }

    /// The travel 0..1 of a plain value; `None` for rows that do not travel.
    pub fn travel(&self, value: Value) -> Option<f32> {
        if !self.travels() {
            return None;
        }
        match (self.kind, value) {
            (Kind::Float { range, .. }, Value::Float(plain)) => Some(range.travel(plain)),
            (Kind::Int { min, max, .. }, Value::Int(whole)) => Some((whole - min) as f32 / (max - min) as f32),
            (Kind::Switch { .. }, Value::Switch(on)) => Some(if on { 1.0 } else { 0.0 }),
            (Kind::Choice { names, .. }, Value::Choice(index)) => {
                Some(f32::from(index) / (names.len() - 1).max(1) as f32)
            }
            _ => None,
        }
    }
}

const fn float(id: &'static str, unit: &'static str, range: Range, default: f32, doc: &'static str) -> Row {
    Row::new(id, unit, Kind::Float { range, default, cyclic: false }, doc)
}

const fn angle(id: &'static str, min: f32, max: f32, default: f32, cyclic: bool, doc: &'static str) -> Row {
    let range = Range::new(min, max, Curve::Linear);
    Row::new(id, "deg", Kind::Float { range, default, cyclic }, doc)
}

const fn int(id: &'static str, min: i32, max: i32, default: i32, doc: &'static str) -> Row {
    Row::new(id, "", Kind::Int { min, max, default, travels: true }, doc)
}

const fn switch(id: &'static str, default: bool, doc: &'static str) -> Row {
    Row::new(id, "", Kind::Switch { default }, doc)
}

const fn choice(id: &'static str, names: &'static [&'static str], default: u8, doc: &'static str) -> Row {
    Row::new(id, "", Kind::Choice { names, default }, doc)
}

const fn colour(id: &'static str, default: [f32; 4], doc: &'static str) -> Row {
    Row::new(id, "", Kind::Colour { default }, doc)
}

const fn linear(min: f32, max: f32) -> Range {
    Range::new(min, max, Curve::Linear)
}

const fn square(min: f32, max: f32) -> Range {
    Range::new(min, max, Curve::Square)
}

const fn cubic(min: f32, max: f32) -> Range {
    Range::new(min, max, Curve::Cubic)
}

const fn log(min: f32, max: f32) -> Range {
    Range::new(min, max, Curve::Log)
}

/// Planes that the whiskers can lie in, in index order of `whiskers.plane`.
pub const PLANES: &[&str] = &["front", "top"];

/// What can be on the cloth, in index order of `look.pattern`.
pub const PATTERNS: &[&str] = &["stripes", "plain", "checks", "chevron", "sun", "waves", "grid", "picture"];

macro_rules! rows {
    ($($variant:ident: $row:expr,)*) => {
        /// The name of a row in code. Its number is its place in the table and may change between
        /// versions; what is written to files is [`Row::id`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u16)]
        #[expect(missing_docs, reason = "a row's documentation is its `doc` in the table")]
        pub enum RowId { $($variant,)* }

        /// The table, in the order in which people see it.
        pub static ROWS: &[Row] = &[$($row,)*];

        impl RowId {
            /// Every row in table order.
            pub const ALL: &[RowId] = &[$(RowId::$variant,)*];
        }
    };
}

rows! {
    WindSpeed: float("wind.speed", "m/s", square(0.0, 40.0), 8.0, "Speed of the mean wind.").glide(0.2).cc(1).primary(),
    WindHeading: angle("wind.heading", -180.0, 180.0, 0.0, true, "Where the wind blows to, turned about the vertical: 0 along the flag, 90 away from the viewer.").glide(0.2).cc(12).primary(),
    WindPitch: angle("wind.pitch", -90.0, 90.0, 0.0, false, "Rise of the mean wind; positive blows upward.").glide(0.2).cc(13),
    WindTurbulence: float("wind.turbulence", "", square(0.0, 2.0), 0.15, "Gusts as a fraction of the mean speed; 0 is a steady stream.").glide(0.1).cc(2).primary(),
    WindGustScale: float("wind.gust_scale", "1/m", log(0.05, 4.0), 1.0, "Spatial frequency of the gusts; its reciprocal is about one gust's size.").glide(0.1).cc(4).primary(),
    WindGustRate: float("wind.gust_rate", "rad/s", square(0.0, 12.0), 4.0, "How fast the gust field evolves at the base octave.").glide(0.1).cc(5).primary(),
    WindOctaves: int("wind.octaves", 1, 8, 4, "Octaves of the gust field; each doubles the frequency and halves the amplitude.").cc(14),
    WindSeed: Row::new("wind.seed", "", Kind::Int { min: i32::MIN, max: i32::MAX, default: 1, travels: false }, "Everything about the gust field: the same seed, the same gusts, for ever."),
    WindTimeScale: float("wind.time_scale", "", linear(-4.0, 4.0), 1.0, "Speed of the gusts' own time; 0 stands still, negative runs back.").glide(0.1).cc(15),

    AirDrag: float("air.drag", "1/s", cubic(0.0, 4.0), 0.05, "Drag of each particle: acceleration per unit of velocity difference; it knows no direction, much of it irons the flag.").glide(0.1).cc(3).primary().per_flag(),
    AirDensity: float("air.density", "kg/m³", linear(0.0, 5.0), 1.2, "Density of the air in the sheet law; 0 switches the sheet law off.").glide(0.1).cc(9).primary().per_flag(),
    AirNormalCoefficient: float("air.normal_coefficient", "", linear(0.0, 4.0), 1.28, "Coefficient of the pressure across the cloth; 1.28 is a flat plate.").glide(0.1).cc(16).per_flag(),
    AirFrictionCoefficient: float("air.friction_coefficient", "", square(0.0, 1.0), 0.02, "Coefficient of the skin friction along the cloth.").glide(0.1).cc(17).per_flag(),

    ClothGravity: float("cloth.gravity", "m/s²", linear(0.0, 20.0), 9.81, "Gravity, downward; 1.62 is the Moon.").glide(0.1).cc(18).primary().per_flag(),
    ClothDamping: float("cloth.damping", "1/s", cubic(0.0, 100.0), 0.3, "Decay rate of all velocity; 1 loses two thirds in a second.").glide(0.1).cc(19).primary().per_flag(),

    LinkStretchCompliance: float("link.stretch_compliance", "m/N", cubic(0.0, 0.1), 0.0, "Give of the threads; 0 does not stretch.").glide(0.1).cc(20).per_flag(),
    LinkShearCompliance: float("link.shear_compliance", "m/N", cubic(0.0, 0.5), 0.01, "Give of the diagonals; 0.003 to 0.03 folds like cloth.").glide(0.1).cc(21).per_flag(),
    LinkBendCompliance: float("link.bend_compliance", "m/N", cubic(0.0, 1.0), 0.03, "Give against bending; 0 is boardy, 0.3 pleats at the size of the grid.").glide(0.1).cc(22).primary().per_flag(),
    LinkTether: float("link.tether", "x rest path", linear(1.0, 2.0), 1.02, "Farthest a particle may be from the hoist, as a multiple of its rest path; 2 switches the tethers off.").glide(0.1).cc(23).per_flag(),
    LinkStrainLimit: float("link.strain_limit", "x rest length", linear(1.0, 2.0), 1.1, "Longest that a thread may be, as a multiple of its rest length; 2 switches the limit off.").glide(0.1).cc(86).per_flag(),

    ContactPole: float("contact.pole", "m", square(0.0, 0.5), 0.013, "Radius of the pole or bar that the cloth cannot enter, and its drawn thickness; 0 lets the cloth through.").glide(0.1).cc(87).per_flag(),
    ContactGround: float("contact.ground", "m", linear(-10.0, 10.0), -10.0, "Height of a floor that the cloth cannot enter, never above a flag's lowest pin; it is not drawn; -10 takes it away.").glide(0.1).cc(89).per_flag(),
    ContactFriction: float("contact.friction", "", linear(0.0, 1.0), 0.3, "Coefficient of the friction on pole, bar and floor; 0 lets the cloth slide.").glide(0.1).cc(90).per_flag(),

    WhiskersVisible: switch("whiskers.visible", true, "Draws the wind as lines beneath the flag.").cc(24),
    WhiskersColumns: int("whiskers.columns", 1, 64, 14, "Whiskers along the wind's grid.").cc(25),
    WhiskersRows: int("whiskers.rows", 1, 64, 10, "Rows of whiskers.").cc(26),
    WhiskersPlane: choice("whiskers.plane", PLANES, 1, "Plane of the grid: front stands behind the flag, top lies beneath it.").cc(27),
    WhiskersExtent: float("whiskers.extent", "", linear(0.25, 4.0), 1.0, "Size of the grid as a multiple of its natural size around the flags.").glide(0.1).cc(28),
    WhiskersScale: float("whiskers.scale", "s", square(0.0, 1.0), 0.02, "Seconds of the wind's travel that a whisker shows.").glide(0.1).cc(29),
    WhiskersColour: colour("whiskers.colour", [0.45, 0.95, 0.72, 1.0], "Colour of the whiskers.").glide(0.1),
    WhiskersOpacity: float("whiskers.opacity", "", linear(0.0, 1.0), 0.45, "Opacity of the whiskers.").glide(0.1).cc(30),
    WhiskersThickness: float("whiskers.thickness", "px", square(0.0, 16.0), 1.5, "Thickness of a whisker, in pixels of a picture 720 high.").glide(0.1).cc(31),

    LookPattern: choice("look.pattern", PATTERNS, 0, "What is on the cloth.").cc(70).primary(),
    LookRepeat: float("look.repeat", "", linear(1.0, 32.0), 7.0, "How often the pattern repeats across the hoist.").glide(0.1).cc(71),
    LookColourA: colour("look.colour_a", [0.78, 0.16, 0.15, 1.0], "First colour of the pattern.").glide(0.1),
    LookColourB: colour("look.colour_b", [0.95, 0.92, 0.85, 1.0], "Second colour of the pattern.").glide(0.1),
    LookColourC: colour("look.colour_c", [0.12, 0.20, 0.38, 1.0], "Third colour of the pattern: its accent.").glide(0.1),
    LookShade: float("look.shade", "", linear(0.0, 1.0), 0.75, "How much the light shapes the cloth; 0 shows the pattern's colours flat.").glide(0.1).cc(72),
    LookSheen: float("look.sheen", "", linear(0.0, 1.0), 0.25, "Gloss along the folds.").glide(0.1).cc(73),
    LookTranslucency: float("look.translucency", "", linear(0.0, 1.0), 0.35, "Light that shines through from behind.").glide(0.1).cc(74),
    LookLightHeading: angle("look.light_heading", -180.0, 180.0, 40.0, true, "Where the light comes from, turned about the vertical: 0 from the viewer, 90 from the right.").glide(0.1).cc(75),
    LookLightHeight: angle("look.light_height", -90.0, 90.0, 40.0, false, "Height of the light above the horizon.").glide(0.1).cc(76),
    LookExposure: float("look.exposure", "stops", linear(-4.0, 4.0), 0.0, "Brightness of the whole picture; +1 doubles the light.").glide(0.1).cc(77),
    LookCameraHeading: angle("look.camera_heading", -180.0, 180.0, -14.0, true, "Where the camera stands, turned about the vertical: 0 in front, 90 at the fly end.").glide(0.1).cc(78),
    LookCameraHeight: angle("look.camera_height", -89.0, 89.0, 8.0, false, "Height of the camera over what it looks at.").glide(0.1).cc(79),
    LookCameraZoom: float("look.camera_zoom", "", log(0.1, 10.0), 1.0, "Size of the scene in the picture; 1 frames all flags.").glide(0.1).cc(80),
    LookCameraAcross: float("look.camera_across", "", linear(-2.0, 2.0), 0.0, "Moves the view to the right, in heights of the picture.").glide(0.1).cc(84),
    LookCameraUp: float("look.camera_up", "", linear(-2.0, 2.0), 0.0, "Moves the view up, in heights of the picture.").glide(0.1).cc(85),
    LookCameraLens: angle("look.camera_lens", 5.0, 100.0, 28.0, false, "Vertical field of view of the camera.").glide(0.1).cc(81),
    LookBackground: colour("look.background", [0.098, 0.106, 0.129, 1.0], "Colour behind everything.").glide(0.1),
    LookVignette: float("look.vignette", "", linear(0.0, 1.0), 0.4, "How far the background darkens toward its edges.").glide(0.1).cc(82),
    LookPole: switch("look.pole", true, "Draws the pole or bar that the flag hangs from.").cc(83),
}

impl RowId {
    /// The row.
    pub fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// The row with this id (`wind.speed`), old names included.
    pub fn from_id(id: &str) -> Option<RowId> {
        RowId::ALL.iter().copied().find(|row| row.row().id == id || row.row().aliases.contains(&id))
    }

    /// The row at this address (`/wind/speed`), old names included. Not the `/norm` addresses.
    pub fn from_address(address: &str) -> Option<RowId> {
        let id = address.strip_prefix('/')?;
        RowId::from_id(&id.replace('/', ".")).filter(|_| !id.contains('.'))
    }
}

/// One cue: something that happens at a tick and is over.
#[derive(Debug, Clone, Copy)]
pub struct CueRow {
    /// OSC address.
    pub address: &'static str,
    /// OSC type tags of its arguments; `?` before a tag means that it may be missing, `|` parts alternatives.
    pub arguments: &'static str,
    /// One sentence for people.
    pub doc: &'static str,
}

/// The cues, in the order in which people see them.
pub static CUES: &[CueRow] = &[
    CueRow {
        address: "/cue/reset",
        arguments: "",
        doc: "Back to the rest shape, physical time 0 and gust phases 0; the tick runs on.",
    },
    CueRow {
        address: "/cue/panic",
        arguments: "",
        doc: "Reset, and glides and morphs end where they were going; the wind is kept.",
    },
    CueRow {
        address: "/cue/freeze",
        arguments: "",
        doc: "The cloth holds still and the wind runs; again to let it go.",
    },
    CueRow { address: "/cue/blackout", arguments: "", doc: "Fades the picture to black; again to fade back." },
    CueRow {
        address: "/cue/gust",
        arguments: "?f",
        doc: "Sends one gust with the wind; its peak as a fraction of the mean speed, 1 without a number, -1 a lull.",
    },
    CueRow { address: "/cue/seed_next", arguments: "", doc: "The next seed of the gust field, faded over." },
    CueRow {
        address: "/cue/preset",
        arguments: "s|i ?f",
        doc: "Recalls a preset by name or program number, morphing over the given seconds.",
    },
    CueRow { address: "/cue/preset_next", arguments: "", doc: "Recalls the next preset." },
    CueRow { address: "/cue/preset_previous", arguments: "", doc: "Recalls the previous preset." },
    CueRow { address: "/cue/still", arguments: "", doc: "Writes the picture as it is now to a PNG." },
    CueRow {
        address: "/cue/wind_time",
        arguments: "f",
        doc: "Sets the gusts' own time, in seconds: a gust replays to the bit.",
    },
    CueRow {
        address: "/hand/grab",
        arguments: "i|fff",
        doc: "Takes hold of a particle (number in row-major order, flags in order) or of the free one nearest to a point (m).",
    },
    CueRow { address: "/hand/move", arguments: "fff", doc: "Moves the held particle toward a point in the world (m)." },
    CueRow { address: "/hand/release", arguments: "", doc: "Lets the held particle go." },
    CueRow { address: "/sync", arguments: "", doc: "Answers its sender with the target of every row." },
];

/// One readout: what a flag tells, under `/read/N/…` with N the flag's index from 0.
#[derive(Debug, Clone, Copy)]
pub struct ReadoutRow {
    /// Last part of the address.
    pub name: &'static str,
    /// Unit in text.
    pub unit: &'static str,
    /// One sentence for people.
    pub doc: &'static str,
}

/// The readouts.
pub static READOUTS: &[ReadoutRow] = &[
    ReadoutRow { name: "tip", unit: "m", doc: "Middle of the fly edge in the world, x y z." },
    ReadoutRow { name: "impulse", unit: "N", doc: "Sum of the magnitudes of the air's forces on the sheet." },
    ReadoutRow { name: "stretch", unit: "", doc: "Largest strain of a thread." },
    ReadoutRow { name: "energy", unit: "J", doc: "Kinetic energy of the cloth." },
    ReadoutRow { name: "accepted", unit: "", doc: "Solver steps taken since the last reset." },
    ReadoutRow { name: "rejected", unit: "", doc: "Solver steps rolled back since the last reset." },
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Controllers that a factory map must leave alone: bank select, data entry, volume, balance, pan,
    /// expression, the LSB half, pedals, (N)RPN and channel mode.
    fn reserved(controller: u8) -> bool {
        matches!(controller, 0 | 6 | 7 | 10 | 11 | 32..=64 | 96..=101 | 120..)
    }

    #[test]
    fn ids_addresses_flags_and_controllers_are_unique_and_sound() {
        let mut seen = BTreeSet::new();
        for row in ROWS {
            assert_eq!(row.id.matches('.').count(), 1, "{}", row.id);
            assert!(row.id.bytes().all(|b| b.is_ascii_lowercase() || b == b'.' || b == b'_'), "{}", row.id);
            assert!(row.doc.ends_with('.') && !row.doc.contains('\n'), "{}: one sentence", row.id);
            for name in std::iter::once(row.id).chain(row.aliases.iter().copied()) {
                assert!(seen.insert(name.to_owned()), "{name} twice");
            }
            assert!(seen.insert(row.flag()), "{} twice", row.flag());
            if let Some(controller) = row.controller {
                assert!(!reserved(controller), "{}: controller {controller} has a meaning of its own", row.id);
                assert!(seen.insert(format!("cc {controller}")), "{}: controller {controller} twice", row.id);
            }
        }
        for (address, row) in [("/wind/speed", 1), ("/wind/turbulence", 2), ("/air/drag", 3)] {
            assert_eq!(RowId::from_address(address).and_then(|id| id.row().controller), Some(row));
        }
    }

    #[test]
    fn ranges_hold_their_defaults_and_logs_are_positive() {
        for row in ROWS {
            match row.kind {
                Kind::Float { range, default, .. } => {
                    assert!(range.min < range.max && (range.min..=range.max).contains(&default), "{}", row.id);
                    assert!(range.curve != Curve::Log || range.min > 0.0, "{}", row.id);
                }
                Kind::Int { min, max, default, .. } => assert!(min < max && (min..=max).contains(&default)),
                Kind::Choice { names, default } => assert!(usize::from(default) < names.len()),
                Kind::Colour { default } => assert!(default.iter().all(|part| (0.0..=1.0).contains(part))),
                Kind::Switch { .. } => {}
            }
            assert_eq!(row.accept(row.default_value()), Some(row.default_value()), "{}", row.id);
            if let Some(travel) = row.travel(row.default_value()) {
                let Some(back) = row.from_travel(travel) else { panic!("{} does not come back", row.id) };
                match (back, row.default_value()) {
                    (Value::Float(a), Value::Float(b)) => {
                        assert!((a - b).abs() <= 1e-4 * (1.0 + b.abs()), "{}", row.id)
                    }
                    (a, b) => assert_eq!(a, b, "{}", row.id),
                }
            }
        }
    }

    #[test]
    fn only_glides_what_can_glide() {
        for row in ROWS {
            let glides = matches!(row.kind, Kind::Float { .. } | Kind::Colour { .. });
            assert!(row.glide == 0.0 || glides, "{} has steps and cannot glide", row.id);
            assert!(row.glide >= 0.0);
        }
    }

    #[test]
    fn accepts_clamps_and_refuses() {
        let speed = RowId::WindSpeed.row();
        assert_eq!(speed.accept(Value::Float(50.0)), Some(Value::Float(40.0)));
        assert_eq!(speed.accept(Value::Int(12)), Some(Value::Float(12.0)));
        assert_eq!(speed.accept(Value::Float(f32::NAN)), None);
        assert_eq!(speed.accept(Value::Colour([1.0; 4])), None);
        assert_eq!(RowId::WindSeed.row().accept(Value::Int(i32::MIN)), Some(Value::Int(i32::MIN)));
        assert_eq!(RowId::WindOctaves.row().accept(Value::Float(1e30)), Some(Value::Int(8)));
        assert_eq!(RowId::WindSeed.row().from_travel(0.5), None);
        assert_eq!(speed.from_travel(0.5), Some(Value::Float(10.0)));
    }

    #[test]
    fn addresses_are_found_and_dots_are_not_addresses() {
        assert_eq!(RowId::from_address("/air/drag"), Some(RowId::AirDrag));
        assert_eq!(RowId::from_address("/air.drag"), None);
        assert_eq!(RowId::from_address("air/drag"), None);
        assert_eq!(RowId::AirDrag.row().norm_address().as_deref(), Some("/norm/air/drag"));
        assert_eq!(RowId::WindSeed.row().norm_address(), None);
    }
}
