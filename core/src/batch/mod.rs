//! Proposals while other trials are open.
