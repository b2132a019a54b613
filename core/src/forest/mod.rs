//! Ensembles of trees.
