//! JSON values as documents compare and read them.

use serde_json::Value;

use crate::error::Error;

/// The value of a text that holds one value and nothing else.
///
/// # Errors
/// [`Error::Format`] with the byte where it is no JSON, or nested deeper than 127.
pub(super) fn read(text: &str) -> Result<Value, Error> {
    text.parse().map_err(|error: serde_json::Error| {
        let before =
            text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum::<usize>();
        let at = if error.is_eof() { text.len() } else { (before + error.column()).saturating_sub(1) };
        Error::Format { at }
    })
}

/// A whole number, also one that is written with a point.
pub(super) fn integer(value: &Value) -> Option<i64> {
    // Beyond 2⁵³ a number with a point is not known to the last digit.
    let whole = |number: &f64| *number as i64 as f64 == *number && number.abs() < 9.0e15;
    value.as_i64().or_else(|| value.as_f64().filter(whole).map(|number| number as i64))
}

/// Whether both are the same value; `1` and `1.0` are.
pub(super) fn same(one: &Value, other: &Value) -> bool {
    if let (Some(a), Some(b)) = (one.as_i64(), other.as_i64()) {
        return a == b;
    }
    one.as_f64().zip(other.as_f64()).map_or_else(|| one == other, |(a, b)| a == b)
}

#[cfg(test)]
mod tests {
    use super::{Value, integer, read, same};
    use crate::error::Error;
    use serde_json::json;
    use std::string::ToString;

    #[test]
    fn what_is_written_is_what_was_read() {
        for text in [
            r#"{"z":[1,2.5,-3e-07,null,true,false],"b":{},"c":[],"a":"x"}"#,
            r#"["\"","\\","\n\t\r","é😀","\u0001"]"#,
            "9223372036854775807",
            "0.1",
            "2.2250738585072011e-308",
            "1.7976931348623157e308",
            "-0.0",
        ] {
            let once = read(text).unwrap().to_string();
            assert_eq!(read(&once), read(text));
            assert_eq!(read(&once).unwrap().to_string(), once);
        }
        assert_eq!(read(r#"{"z": 1, "a": 2}"#).unwrap().to_string(), r#"{"z":1,"a":2}"#);
        assert_eq!(read(" 1 "), Ok(json!(1)));
        assert!(same(&json!(1), &json!(1.0)) && !same(&Value::Bool(true), &json!(1)));
        assert_eq!((integer(&json!(3.0)), integer(&json!(3.5))), (Some(3), None));
        assert_eq!(integer(&read("9223372036854775808").unwrap()), None);
        // Numbers come back to the bit.
        let mut state = 1u64;
        for _ in 0..10_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let number = f64::from_bits(state);
            let back = read(&Value::from(number).to_string()).unwrap().as_f64();
            assert_eq!(back.map(f64::to_bits), number.is_finite().then_some(state));
        }
    }

    #[test]
    fn what_is_no_json_is_refused_where_it_ends() {
        for (text, at) in [
            ("", 0),
            ("[1, 2", 5),
            ("[1 2]", 3),
            ("[1,\n 2 3]", 7),
            ("{\"a\" 1}", 5),
            ("{a: 1}", 1),
            ("01", 1),
            ("1.", 2),
            ("-", 1),
            ("1e999", 4),
            ("nul", 3),
            ("\"a", 2),
            ("\"\\x\"", 2),
            ("\"\\ud800x\"", 7),
            ("\"\n\"", 1),
            ("1 1", 2),
            ("[1,]", 3),
        ] {
            assert_eq!(read(text), Err(Error::Format { at }), "{text}");
        }
        assert!(matches!(read(&"[".repeat(100_000)), Err(Error::Format { .. })));
        assert!(read(&("[".repeat(63) + &"]".repeat(63))).is_ok());
    }
}
