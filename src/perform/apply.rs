//! Where a parameter's name becomes physics: the only such place.

use crate::math;
use crate::params::{self, FlagSpec, Hang, Kind, LinkFamily, Pins, RowId, Scene, SolverStep, Value, Values};
use crate::sim::air::sheet::SheetLaw;
use crate::sim::cut::{Cut, CutSpec, Families, Mass};
use crate::sim::flag::{Flag, FlagSettings, OnFailure, StepPlan};
use crate::sim::solver::contact::ContactSettings;
use crate::sim::solver::{DampingOrder, LinkCompliance};
use crate::sim::wind::{Wind, WindSettings};
use crate::sim::world::World;
use glam::Vec3;

/// The wind that these values ask for.
pub fn wind_settings(values: &Values) -> WindSettings {
    let radians = |row| f64::from(values.float(row)).to_radians();
    let (heading_sin, heading_cos) = math::sin_cos(radians(RowId::WindHeading));
    let (pitch_sin, pitch_cos) = math::sin_cos(radians(RowId::WindPitch));
    let speed = f64::from(values.float(RowId::WindSpeed));
    // Heading turns +x about +y by the right hand, so toward −z.
    let direction = [heading_cos * pitch_cos, pitch_sin, -heading_sin * pitch_cos];
    WindSettings {
        mean: Vec3::from_array(direction.map(|part| (speed * part) as f32)),
        turbulence: values.float(RowId::WindTurbulence),
        gust_scale: values.float(RowId::WindGustScale),
        gust_rate: values.float(RowId::WindGustRate),
        time_scale: values.float(RowId::WindTimeScale),
        octaves: usize::try_from(values.int(RowId::WindOctaves)).unwrap_or(1),
        seed: values.int(RowId::WindSeed),
    }
}

/// What these values ask of a flag that fixes some rows for itself.
pub fn flag_settings(values: &Values, fixed: &[(RowId, Value)]) -> FlagSettings {
    let float = |row: RowId| {
        let own = fixed.iter().rev().find(|(id, _)| *id == row).and_then(|(_, value)| value.number());
        own.map_or(values.float(row), |number| number as f32)
    };
    FlagSettings {
        gravity: float(RowId::ClothGravity),
        damping: float(RowId::ClothDamping),
        drag: float(RowId::AirDrag),
        sheet: SheetLaw::new(
            float(RowId::AirDensity),
            float(RowId::AirNormalCoefficient),
            float(RowId::AirFrictionCoefficient),
        ),
        compliance: LinkCompliance {
            stretch: float(RowId::LinkStretchCompliance),
            shear: float(RowId::LinkShearCompliance),
            bend: float(RowId::LinkBendCompliance),
        },
        tether: float(RowId::LinkTether),
        strain_limit: float(RowId::LinkStrainLimit),
        contact: ContactSettings {
            pole: float(RowId::ContactPole),
            ground: ground(float(RowId::ContactGround)),
            friction: float(RowId::ContactFriction),
        },
    }
}

/// The ground at this height; none at the low end of its row.
fn ground(height: f32) -> f32 {
    match RowId::ContactGround.row().kind {
        Kind::Float { range, .. } if height > range.min => height,
        _ => f32::NEG_INFINITY,
    }
}

/// How these solver settings cut a tick of `tick_seconds`.
pub fn step_plan(solver: &SolverStep, tick_seconds: f64) -> StepPlan {
    StepPlan {
        tick_seconds,
        steps_per_tick: solver.steps_per_tick,
        substeps: solver.substeps,
        sweeps: solver.sweeps,
        limit_sweeps: solver.limit_sweeps,
        damping_order: match solver.damping_order {
            params::DampingOrder::Velocity => DampingOrder::Velocity,
            params::DampingOrder::Whole => DampingOrder::Whole,
        },
        on_failure: match solver.on_failure {
            params::OnFailure::Halve => OnFailure::Halve,
            params::OnFailure::Stop => OnFailure::Stop,
        },
    }
}

/// The flags of `scene` at rest in `wind`, with `values`. The scene is checked before it gets here.
pub fn build(scene: &Scene, values: &Values, wind: Wind, tick_seconds: f64) -> World {
    let flags = scene.flags.iter().map(|spec| {
        let settings = flag_settings(values, &spec.fixed);
        let cut = Cut::new(cut_spec(spec));
        let drag = spec.drag_particles.map_or(0..cut.count(), |[from, to]| from as usize..to as usize);
        (Flag::new(cut, drag, &wind, settings.gravity == 0.0), settings)
    });
    let flags = flags.collect();
    World::new(wind, flags, step_plan(&scene.solver, tick_seconds))
}

fn cut_spec(spec: &FlagSpec) -> CutSpec {
    let (columns, rows) = (spec.columns as usize, spec.rows as usize);
    let (fly, hoist) = match spec.hang {
        Hang::Pole => (Vec3::X, Vec3::NEG_Y),
        Hang::Bar => (Vec3::NEG_Y, Vec3::X),
    };
    CutSpec {
        columns,
        rows,
        length: spec.length,
        width: spec.width,
        mass: spec.mass.map_or(Mass::Areal(spec.areal_density), Mass::PerParticle),
        position: Vec3::from_array(spec.position),
        fly,
        hoist,
        pins: match &spec.pins {
            Pins::Hoist => (0..rows).map(|row| row * columns).collect(),
            Pins::Corners => vec![0, (rows - 1) * columns],
            Pins::List(list) => list.iter().map(|[column, row]| *row as usize * columns + *column as usize).collect(),
        },
        families: Families {
            structural: spec.links.contains(&LinkFamily::Structural),
            shear: spec.links.contains(&LinkFamily::Shear),
            bend: spec.links.contains(&LinkFamily::Bend),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heading_and_pitch_follow_the_right_hand() {
        let wind = |heading: f32, pitch: f32| {
            let mut values = Values::default();
            values.set(RowId::WindSpeed, Value::Float(10.0));
            values.set(RowId::WindHeading, Value::Float(heading));
            values.set(RowId::WindPitch, Value::Float(pitch));
            wind_settings(&values).mean
        };
        assert_eq!(wind(0.0, 0.0), Vec3::new(10.0, 0.0, 0.0));
        assert!((wind(90.0, 0.0) - Vec3::new(0.0, 0.0, -10.0)).length() < 1e-5);
        assert!((wind(0.0, 90.0) - Vec3::new(0.0, 10.0, 0.0)).length() < 1e-5);
        assert!((wind(-80.0, 0.0) - Vec3::new(1.736_482, 0.0, 9.848_078)).length() < 1e-5);
    }

    #[test]
    fn a_flags_own_rows_pass_live_ones_by() {
        let mut values = Values::default();
        values.set(RowId::AirDrag, Value::Float(1.0));
        let fixed = [(RowId::LinkBendCompliance, Value::Float(0.2))];
        let settings = flag_settings(&values, &fixed);
        assert_eq!((settings.drag, settings.compliance.bend), (1.0, 0.2));
        values.set(RowId::LinkBendCompliance, Value::Float(0.9));
        assert_eq!(flag_settings(&values, &fixed).compliance.bend, 0.2);
        assert_eq!(flag_settings(&values, &[]).compliance.bend, 0.9);
    }

    #[test]
    fn the_ground_is_gone_at_the_low_end_only() {
        let mut values = Values::default();
        assert_eq!(flag_settings(&values, &[]).contact.ground, f32::NEG_INFINITY);
        values.set(RowId::ContactGround, Value::Float(-9.5));
        assert_eq!(flag_settings(&values, &[]).contact.ground, -9.5);
    }

    #[test]
    fn every_row_of_the_forcing_groups_reaches_the_physics() {
        let rest = Values::default();
        for row in RowId::ALL {
            let group = row.row().group();
            if !["wind", "air", "cloth", "link", "contact"].contains(&group) {
                continue;
            }
            let mut values = rest.clone();
            let moved = row.row().from_travel(0.9).unwrap_or(Value::Int(7));
            assert!(values.set(*row, moved) && values != rest, "{}", row.row().id);
            let changed = wind_settings(&values) != wind_settings(&rest)
                || flag_settings(&values, &[]) != flag_settings(&rest, &[]);
            assert!(changed, "{} has no effect", row.row().id);
            assert_eq!(row.row().per_flag, group != "wind", "{}", row.row().id);
        }
    }
}
