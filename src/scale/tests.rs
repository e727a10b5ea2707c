//! What can be said of shards without mining: how lists are cut, which URLs and commands are taken, and what becomes of
//! a worker that does not end well.

mod fetching;
mod planning;
mod working;
