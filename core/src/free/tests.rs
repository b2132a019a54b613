//! Methods by themselves.
