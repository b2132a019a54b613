//! JSON as far as descriptions of spaces need it: values in memory, read and written.

use alloc::string::String;
use alloc::vec::Vec;

use crate::error::Error;

/// The deepest nesting that is read.
const DEPTH: usize = 64;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number without point and exponent.
    Integer(i64),
    /// Any other number.
    Number(f64),
    /// A string.
    Text(String),
    /// A list.
    List(Vec<Value>),
    /// Names and their values, in the order of the text.
    Object(Vec<(String, Value)>),
}

impl Value {
    /// The value of a text that holds one value and nothing else.
    ///
    /// Cost: O(bytes).
    ///
    /// # Errors
    /// [`Error::Format`] with the byte where it is no JSON, or nested deeper than 64.
    pub fn read(text: &str) -> Result<Self, Error> {
        let mut reader = Reader { bytes: text.as_bytes(), at: 0 };
        let value = reader.value(DEPTH)?;
        reader.blank();
        if reader.at == reader.bytes.len() { Ok(value) } else { Err(reader.stop()) }
    }

    /// Appends the value as text, on one line.
    ///
    /// A number that is not finite is written as `null`, for JSON has none.
    pub fn write(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(true) => out.push_str("true"),
            Self::Bool(false) => out.push_str("false"),
            Self::Integer(number) => append(out, format_args!("{number}")),
            Self::Number(number) if number.is_finite() => append(out, format_args!("{number:?}")),
            Self::Number(_) => out.push_str("null"),
            Self::Text(text) => quote(text, out),
            Self::List(values) => {
                out.push('[');
                for (i, value) in values.iter().enumerate() {
                    out.push_str(if i == 0 { "" } else { ", " });
                    value.write(out);
                }
                out.push(']');
            }
            Self::Object(fields) => {
                out.push('{');
                for (i, (name, value)) in fields.iter().enumerate() {
                    out.push_str(if i == 0 { "" } else { ", " });
                    quote(name, out);
                    out.push_str(": ");
                    value.write(out);
                }
                out.push('}');
            }
        }
    }

    /// The field of an object.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Self> {
        let Self::Object(fields) = self else { return None };
        fields.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// The text of a string.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }

    /// The elements of a list.
    #[must_use]
    pub fn list(&self) -> Option<&[Self]> {
        if let Self::List(values) = self { Some(values) } else { None }
    }

    /// A number of either sort.
    #[must_use]
    pub fn number(&self) -> Option<f64> {
        match *self {
            Self::Integer(number) => Some(number as f64),
            Self::Number(number) => Some(number),
            Self::Null | Self::Bool(_) | Self::Text(_) | Self::List(_) | Self::Object(_) => None,
        }
    }

    /// A whole number, also one that is written with a point.
    #[must_use]
    pub fn integer(&self) -> Option<i64> {
        match *self {
            Self::Integer(number) => Some(number),
            // Beyond 2⁵³ a number with a point is not known to the last digit.
            Self::Number(number) if number as i64 as f64 == number && number.abs() < 9.0e15 => {
                Some(number as i64)
            }
            Self::Number(_)
            | Self::Null
            | Self::Bool(_)
            | Self::Text(_)
            | Self::List(_)
            | Self::Object(_) => None,
        }
    }

    /// Whether both are the same value; `1` and `1.0` are.
    #[must_use]
    pub fn same(&self, other: &Self) -> bool {
        if let (Self::Integer(a), Self::Integer(b)) = (self, other) {
            return a == b;
        }
        self.number().zip(other.number()).map_or_else(|| self == other, |(a, b)| a == b)
    }
}

fn append(out: &mut String, text: core::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = core::fmt::Write::write_fmt(out, text);
}

fn quote(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' => append(out, format_args!("\\u{:04x}", c as u32)),
            c => out.push(c),
        }
    }
    out.push('"');
}

struct Reader<'t> {
    bytes: &'t [u8],
    at: usize,
}

impl Reader<'_> {
    fn stop(&self) -> Error {
        Error::Format { at: self.at }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn blank(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    /// Takes these bytes if they come next.
    fn take(&mut self, expected: &[u8]) -> bool {
        let found = self.bytes[self.at..].starts_with(expected);
        self.at += if found { expected.len() } else { 0 };
        found
    }

    fn need(&mut self, expected: &[u8]) -> Result<(), Error> {
        self.blank();
        if self.take(expected) { Ok(()) } else { Err(self.stop()) }
    }

    fn value(&mut self, depth: usize) -> Result<Value, Error> {
        self.blank();
        let inner = depth.checked_sub(1).ok_or(self.stop())?;
        match self.peek() {
            Some(b'{') => self.object(inner),
            Some(b'[') => self.array(inner),
            Some(b'"') => self.string().map(Value::Text),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ if self.take(b"true") => Ok(Value::Bool(true)),
            _ if self.take(b"false") => Ok(Value::Bool(false)),
            _ if self.take(b"null") => Ok(Value::Null),
            _ => Err(self.stop()),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, Error> {
        let mut fields = Vec::new();
        self.need(b"{")?;
        self.blank();
        if self.take(b"}") {
            return Ok(Value::Object(fields));
        }
        loop {
            self.blank();
            let name = self.string()?;
            self.need(b":")?;
            fields.push((name, self.value(depth)?));
            self.blank();
            if self.take(b"}") {
                return Ok(Value::Object(fields));
            }
            self.need(b",")?;
        }
    }

    fn array(&mut self, depth: usize) -> Result<Value, Error> {
        let mut values = Vec::new();
        self.need(b"[")?;
        self.blank();
        if self.take(b"]") {
            return Ok(Value::List(values));
        }
        loop {
            values.push(self.value(depth)?);
            self.blank();
            if self.take(b"]") {
                return Ok(Value::List(values));
            }
            self.need(b",")?;
        }
    }

    fn number(&mut self) -> Result<Value, Error> {
        let start = self.at;
        self.take(b"-");
        let leading = self.peek();
        if self.digits()? > 1 && leading == Some(b'0') {
            self.at = start;
            return Err(self.stop());
        }
        let mut whole = true;
        if self.take(b".") {
            whole = false;
            self.digits()?;
        }
        if self.take(b"e") || self.take(b"E") {
            whole = false;
            let _ = self.take(b"+") || self.take(b"-");
            self.digits()?;
        }
        // Only ASCII was taken.
        let text = core::str::from_utf8(&self.bytes[start..self.at]).map_err(|_| self.stop())?;
        if whole && let Ok(number) = text.parse() {
            return Ok(Value::Integer(number));
        }
        match text.parse::<f64>() {
            Ok(number) if number.is_finite() => Ok(Value::Number(number)),
            _ => Err(Error::Format { at: start }),
        }
    }

    fn digits(&mut self) -> Result<usize, Error> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        if self.at > start { Ok(self.at - start) } else { Err(self.stop()) }
    }

    fn string(&mut self) -> Result<String, Error> {
        if !self.take(b"\"") {
            return Err(self.stop());
        }
        let mut text = String::new();
        loop {
            let start = self.at;
            while !matches!(self.peek(), None | Some(b'"' | b'\\' | 0..=0x1f)) {
                self.at += 1;
            }
            // The whole is UTF-8, and was cut at ASCII bytes.
            text.push_str(core::str::from_utf8(&self.bytes[start..self.at]).map_err(|_| self.stop())?);
            if self.take(b"\"") {
                return Ok(text);
            }
            if !self.take(b"\\") {
                return Err(self.stop());
            }
            text.push(self.escape()?);
        }
    }

    fn escape(&mut self) -> Result<char, Error> {
        let escaped = self.peek().ok_or(self.stop())?;
        let c = match escaped {
            b'"' | b'\\' | b'/' => escaped as char,
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => {
                self.at += 1;
                return self.code();
            }
            _ => return Err(self.stop()),
        };
        self.at += 1;
        Ok(c)
    }

    /// Four hexadecimal digits, or twice four for a character beyond the first 65,536.
    fn code(&mut self) -> Result<char, Error> {
        let first = self.quad()?;
        let code = if (0xd800..0xdc00).contains(&first) && self.take(b"\\u") {
            let second = self.quad()?;
            if !(0xdc00..0xe000).contains(&second) {
                return Err(self.stop());
            }
            0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00)
        } else {
            first
        };
        char::from_u32(code).ok_or(self.stop())
    }

    fn quad(&mut self) -> Result<u32, Error> {
        let digits = self.bytes.get(self.at..self.at + 4).ok_or(self.stop())?;
        let mut code = 0;
        for &digit in digits {
            code = code * 16 + (digit as char).to_digit(16).ok_or(self.stop())?;
        }
        self.at += 4;
        Ok(code)
    }
}

#[cfg(test)]
mod tests {
    use super::Value;
    use crate::error::Error;
    use std::string::String;

    fn round(text: &str) -> String {
        let mut out = String::new();
        Value::read(text).unwrap().write(&mut out);
        out
    }

    #[test]
    fn what_is_written_is_what_was_read() {
        for text in [
            r#"{"a": [1, 2.5, -3e-07, null, true, false], "b": {}, "c": [], "d": "x"}"#,
            r#"["\"", "\\", "\n\t\r", "é😀", "\u0001"]"#,
            "9223372036854775807",
            "0.1",
            "-0.0",
        ] {
            let once = round(text);
            assert_eq!(round(&once), once);
            assert_eq!(Value::read(&once), Value::read(text));
        }
        assert_eq!(Value::read(r#""\u00e9\ud83d\ude00\/""#), Ok(Value::Text("é😀/".into())));
        assert_eq!(Value::read("9223372036854775808"), Ok(Value::Number(9_223_372_036_854_775_808.0)));
        assert_eq!(Value::read(" 1 "), Ok(Value::Integer(1)));
        assert!(Value::Integer(1).same(&Value::Number(1.0)) && !Value::Bool(true).same(&Value::Integer(1)));
        assert_eq!(Value::Number(3.0).integer(), Some(3));
        assert_eq!(Value::Number(3.5).integer(), None);
    }

    #[test]
    fn what_is_no_json_is_refused_where_it_ends() {
        for (text, at) in [
            ("", 0),
            ("[1, 2", 5),
            ("[1 2]", 3),
            ("{\"a\" 1}", 5),
            ("{a: 1}", 1),
            ("01", 0),
            ("1.", 2),
            ("-", 1),
            ("1e999", 0),
            ("nul", 0),
            ("\"a", 2),
            ("\"\\x\"", 2),
            ("\"\\ud800x\"", 7),
            ("\"\n\"", 1),
            ("1 1", 2),
            ("[1,]", 3),
        ] {
            assert_eq!(Value::read(text), Err(Error::Format { at }), "{text}");
        }
        let deep = "[".repeat(100_000);
        assert!(matches!(Value::read(&deep), Err(Error::Format { .. })));
        assert!(Value::read(&("[".repeat(63) + &"]".repeat(63))).is_ok());
    }
}
