//! The verbs that take mining from one machine to many: a list becomes shards ([`plan()`]), a shard a workspace
//! ([`run_shard`]), workspaces one index ([`merge()`]). A run goes the same way: [`plan_run`], [`begin_part`],
//! [`merge_run`]. Existing engines run them: [`driver`] writes the script for one.
//!
//! Nothing here mines. Each repository is given to a worker, a separate process whose program the caller names: if a
//! repository kills its worker, the shard goes on. A shard is done when its folder has its name; until then everything
//! is in `NAME.part`, with a journal of the finished steps, and the next process goes on there.

use focalist_exchange as exchange;
use focalist_model as model;
use focalist_store as store;
use focalist_task as task;

mod bring;
mod cluster;
mod disk;
mod fetch;
mod filter;
mod journal;
mod merge;
mod part;
mod plan;
mod run;
mod shard;
mod worker;

#[cfg(test)]
mod tests;

pub use bring::{RunMergeReport, merge_run};
pub use cluster::{ClusterEngine, RunVerb, driver};
pub use fetch::{Fetch, FetchError, check_url};
pub use filter::{RepoFilter, StepAnswer, StepCounter};
pub use merge::{MergeError, MergeOptions, MergeReport, UnmergedReason, folder_of, merge};
pub use part::{PartOptions, RunPart, begin_part};
pub use plan::{PLAN_FILE, PlanError, PlanOptions, PlanReport, Sharding, plan};
pub use run::{RunPlanOptions, plan_prompts, plan_run};
pub use shard::{
    ListOptions, MiningWork, ShardDone, ShardError, ShardOptions, mine_list, planned_fetch,
    run_shard,
};
pub use worker::end_with_parent;
