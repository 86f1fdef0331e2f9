//! Pennon beside other cloth engines: the same sheet, the same links, the same number of projections, one thread,
//! in turn in one run.

mod engine;
mod measure;
mod native;
mod ours;
mod rapier;
mod report;
mod scene;

use measure::Plan;
use scene::Order;
use std::process::ExitCode;

const HELP: &str = "\
Measures Pennon and its peers on the same work in turn, one thread.

  cargo run --release [-- OPTIONS]

  --json          JSON with stable keys instead of the table
  --quick         two small grids and few rounds: does everything run?
  --grid WxH      only this grid; may be repeated
  --order ORDER   how peers get their links: colours (twelve, the default) or fibre (Pennon's own)
";

/// Columns and rows measured when nothing else is asked.
const GRIDS: [[usize; 2]; 4] = [[32, 20], [64, 40], [128, 80], [256, 160]];

const FULL: Plan = Plan { rounds: 11, block: 0.1, warm_up: 30, hang: 2.5, read: 0.25 };
const QUICK: Plan = Plan { rounds: 3, block: 0.02, warm_up: 5, hang: 1.0, read: 0.5 };

struct Options {
    json: bool,
    plan: Plan,
    grids: Vec<[usize; 2]>,
    order: Order,
}

fn main() -> ExitCode {
    let options = match options(std::env::args().skip(1)) {
        Ok(Some(options)) => options,
        Ok(None) => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprint!("{error}\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    let (contenders, absent) = engine::contenders();
    let mut rows = Vec::new();
    for grid in &options.grids {
        let tell = |what: &str| eprintln!("{}x{}: {what}", grid[0], grid[1]);
        rows.extend(measure::grid(&contenders, *grid, options.order, &options.plan, &tell));
    }
    if options.json {
        println!("{:#}", report::json(&rows, &absent, options.order));
    } else {
        print!("{}", report::table(&rows, &absent, options.order));
    }
    ExitCode::SUCCESS
}

/// What the arguments ask; `None` is a call for help.
fn options(mut arguments: impl Iterator<Item = String>) -> Result<Option<Options>, String> {
    let mut options = Options { json: false, plan: FULL, grids: Vec::new(), order: Order::Colours };
    let mut usual: &[[usize; 2]] = &GRIDS;
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--json" => options.json = true,
            "--quick" => (options.plan, usual) = (QUICK, &GRIDS[..2]),
            "--grid" => {
                let text = arguments.next().unwrap_or_default();
                options.grids.push(size(&text).ok_or_else(|| {
                    format!("'{text}' is no grid: columns and rows, each from 4 to 1024, such as 64x40")
                })?);
            }
            "--order" => {
                options.order = match arguments.next().as_deref() {
                    Some("colours") => Order::Colours,
                    Some("fibre") => Order::Fibre,
                    other => return Err(format!("'{}' is no order: colours or fibre", other.unwrap_or_default())),
                }
            }
            "--help" | "-h" => return Ok(None),
            other => return Err(format!("'{other}' is no option")),
        }
    }
    if options.grids.is_empty() {
        options.grids = usual.to_vec();
    }
    Ok(Some(options))
}

fn size(text: &str) -> Option<[usize; 2]> {
    let (columns, rows) = text.split_once('x')?;
    let number = |text: &str| text.parse().ok().filter(|number| (4..=1024).contains(number));
    Some([number(columns)?, number(rows)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Option<Options>, String> {
        options(text.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn arguments_are_read_and_wrong_ones_told() {
        let Ok(Some(options)) = read("--json --grid 64x40 --order fibre") else { panic!("sound arguments") };
        assert!(options.json && options.order == Order::Fibre);
        assert_eq!(options.grids, [[64, 40]]);
        assert!(matches!(read("--help"), Ok(None)));
        for wrong in ["--grid 64", "--grid 2x2", "--order none", "--fast"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
