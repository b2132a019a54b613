//! Processes of many observations and few features.
