//! Sessions of coding agents: facts of real sessions, stories, laws, and damage of every kind.

mod answers;
mod changes;
mod conversion;
mod damage;
mod facts;
mod families;
mod laws;
mod random;
mod screen;
mod stories;
