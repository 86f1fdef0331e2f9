//! One value, and one value for every row.

use super::table::{Kind, ROWS, RowId};

/// A plain value of a row's kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// Plain units of the row.
    Float(f32),
    /// A whole number.
    Int(i32),
    /// On or off.
    Switch(bool),
    /// Index into the row's names.
    Choice(u8),
    /// sRGB, straight alpha, each 0..1.
    Colour([f32; 4]),
}

impl Value {
    /// The value as a number; colours have none.
    pub fn number(self) -> Option<f64> {
        match self {
            Value::Float(plain) => Some(f64::from(plain)),
            Value::Int(whole) => Some(f64::from(whole)),
            Value::Switch(on) => Some(if on { 1.0 } else { 0.0 }),
            Value::Choice(index) => Some(f64::from(index)),
            Value::Colour(_) => None,
        }
    }

    /// The value of `row` in text form (JSON and TOML share it): choices by name, colours as four numbers.
    pub fn to_json(self, row: RowId) -> serde_json::Value {
        match (self, row.row().kind) {
            (Value::Choice(index), Kind::Choice { names, .. }) if usize::from(index) < names.len() => {
                names[usize::from(index)].into()
            }
            (Value::Float(plain), _) => shortest(plain).into(),
            (Value::Int(whole), _) => whole.into(),
            (Value::Switch(on), _) => on.into(),
            (Value::Choice(index), _) => index.into(),
            (Value::Colour(parts), _) => parts.map(shortest).to_vec().into(),
        }
    }

    /// Reads what [`Value::to_json`] writes and what people write: choices by name (any case) or index,
    /// switches also as 0 and 1, colours also as `"#RRGGBB[AA]"` or three numbers.
    ///
    /// The value is of the row's kind but may lie outside its range. `None` when it cannot be meant.
    pub fn from_json(row: RowId, text: &serde_json::Value) -> Option<Value> {
        use serde_json::Value as Json;
        match (row.row().kind, text) {
            (Kind::Choice { names, .. }, Json::String(name)) => choice_by_name(names, name).map(Value::Choice),
            (Kind::Colour { .. }, Json::String(hex)) => colour_from_hex(hex).map(Value::Colour),
            (Kind::Colour { .. }, Json::Array(parts)) if (3..=4).contains(&parts.len()) => {
                let mut colour = [1.0; 4];
                for (slot, part) in colour.iter_mut().zip(parts) {
                    *slot = part.as_f64()? as f32;
                }
                Some(Value::Colour(colour))
            }
            (Kind::Switch { .. }, Json::Bool(on)) => Some(Value::Switch(*on)),
            (Kind::Switch { .. }, Json::Number(number)) => match number.as_f64()? {
                0.0 => Some(Value::Switch(false)),
                1.0 => Some(Value::Switch(true)),
                _ => None,
            },
            (Kind::Int { .. }, Json::Number(number)) => {
                let whole = number.as_f64().filter(|number| number.fract() == 0.0)?;
                // A whole number that no row can hold is told as out of range, not wrapped or cut.
                (whole.abs() <= 2f64.powi(53)).then_some(())?;
                i32::try_from(whole as i64).ok().map(Value::Int)
            }
            (Kind::Choice { names, .. }, Json::Number(number)) => {
                let index = usize::try_from(number.as_u64()?).ok()?;
                (index < names.len()).then_some(Value::Choice(index as u8))
            }
            (Kind::Float { .. }, Json::Number(number)) => {
                let plain = number.as_f64()? as f32;
                plain.is_finite().then_some(Value::Float(plain))
            }
            _ => None,
        }
    }
}

/// The index of `name` among `names`, in any case.
pub fn choice_by_name(names: &[&str], name: &str) -> Option<u8> {
    names.iter().position(|known| known.eq_ignore_ascii_case(name.trim())).map(|index| index as u8)
}

/// `#RRGGBB` or `#RRGGBBAA`; without alpha it is opaque.
pub fn colour_from_hex(text: &str) -> Option<[f32; 4]> {
    let digits = text.trim().strip_prefix('#')?;
    if !matches!(digits.len(), 6 | 8) || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let mut colour = [1.0; 4];
    for (index, part) in colour.iter_mut().enumerate().take(digits.len() / 2) {
        let byte = u8::from_str_radix(digits.get(2 * index..2 * index + 2)?, 16).ok()?;
        *part = f32::from(byte) / 255.0;
    }
    Some(colour)
}

/// The f64 whose shortest decimal text is the shortest decimal text of `plain`, so that files show
/// `12.1` and not `12.100000381469727`, and reading it back as f32 gives the same bits.
pub fn shortest(plain: f32) -> f64 {
    plain.to_string().parse().unwrap_or(f64::from(plain))
}

/// A value for every row of the table.
#[derive(Debug, Clone, PartialEq)]
pub struct Values(Vec<Value>);

impl Default for Values {
    fn default() -> Self {
        Values(ROWS.iter().map(|row| row.default_value()).collect())
    }
}

impl Values {
    /// The value of `row`.
    pub fn get(&self, row: RowId) -> Value {
        self.0[row as usize]
    }

    /// Sets `row`, turned into its kind and clamped. False, and no change, when it cannot be.
    pub fn set(&mut self, row: RowId, value: Value) -> bool {
        match row.row().accept(value) {
            Some(value) => {
                self.0[row as usize] = value;
                true
            }
            None => false,
        }
    }

    /// The number in a float row (any numeric row, as f32).
    pub fn float(&self, row: RowId) -> f32 {
        match self.get(row) {
            Value::Float(plain) => plain,
            other => other.number().unwrap_or(0.0) as f32,
        }
    }

    /// The number in an int row.
    pub fn int(&self, row: RowId) -> i32 {
        match self.get(row) {
            Value::Int(whole) => whole,
            other => other.number().unwrap_or(0.0) as i32,
        }
    }

    /// The state of a switch row.
    pub fn switch(&self, row: RowId) -> bool {
        matches!(self.get(row), Value::Switch(true))
    }

    /// The index in a choice row.
    pub fn choice(&self, row: RowId) -> u8 {
        match self.get(row) {
            Value::Choice(index) => index,
            _ => 0,
        }
    }

    /// The colour in a colour row: sRGB, straight alpha.
    pub fn colour(&self, row: RowId) -> [f32; 4] {
        match self.get(row) {
            Value::Colour(parts) => parts,
            _ => [0.0, 0.0, 0.0, 1.0],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_form_keeps_every_bit() {
        let row = RowId::WindSpeed;
        // A walk over the bit patterns of finite floats.
        for step in 0..200_000u32 {
            let plain = f32::from_bits(step.wrapping_mul(2_654_435_761));
            if !plain.is_finite() {
                continue;
            }
            let text = Value::Float(plain).to_json(row).to_string();
            let json: serde_json::Value = serde_json::from_str(&text).expect("own text");
            let Some(Value::Float(back)) = Value::from_json(row, &json) else { panic!("{text}") };
            assert_eq!(back.to_bits(), plain.to_bits(), "{text}");
        }
        assert_eq!(Value::Float(12.1).to_json(row).to_string(), "12.1");
    }

    #[test]
    fn people_write_choices_switches_and_colours_in_their_own_way() {
        let read = |row, text: &str| Value::from_json(row, &serde_json::from_str(text).expect("json"));
        assert_eq!(read(RowId::LookPattern, "\"Checks\""), Some(Value::Choice(2)));
        assert_eq!(read(RowId::LookPattern, "2"), Some(Value::Choice(2)));
        assert_eq!(read(RowId::LookPattern, "99"), None);
        assert_eq!(read(RowId::LookPattern, "\"tartan\""), None);
        assert_eq!(read(RowId::LookPole, "1"), Some(Value::Switch(true)));
        assert_eq!(read(RowId::LookColourA, "\"#ff0000\""), Some(Value::Colour([1.0, 0.0, 0.0, 1.0])));
        assert_eq!(read(RowId::LookColourA, "\"#ff000\""), None);
        assert_eq!(read(RowId::LookColourA, "\"#é00000\""), None);
        assert_eq!(read(RowId::LookColourA, "[0, 0.5, 1]"), Some(Value::Colour([0.0, 0.5, 1.0, 1.0])));
        assert_eq!(read(RowId::WindOctaves, "2.5"), None);
    }
}
