//! The table for people and for machines.
