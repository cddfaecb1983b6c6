//! multiclass
