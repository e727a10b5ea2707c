//! Makes items one per token, and numbers the variables.

use super::read::Leaves;
use super::{DependentToken, Flow, Flows, Relation};

/// Marks of numbers that are forgotten all at once.
#[derive(Default)]
struct RoundMarks {
    /// By number: the round in which it was marked, and the mark.
    marks: Vec<(u32, u32)>,
    round: u32,
}

impl RoundMarks {
    fn clear(&mut self, n_numbers: usize) {
        self.round += 1;
        if self.round == u32::MAX {
            self.marks.clear();
            self.round = 1;
        }
        if self.marks.len() < n_numbers {
            self.marks.resize(n_numbers, (0, 0));
        }
    }

    /// Looks up the mark of a number, and marks it with `new` where it has none.
    fn mark(&mut self, number: u32, new: u32) -> u32 {
        let mark = &mut self.marks[number as usize];
        if mark.0 != self.round {
            *mark = (self.round, new);
        }
        mark.1
    }
}

/// Memory for grouping.
#[derive(Default)]
pub struct Groups {
    keys: RoundMarks,
    names: RoundMarks,
    group_of: Vec<u32>,
    /// By group: where its items begin in `order`, and one end more.
    starts: Vec<u32>,
    order: Vec<u32>,
    merged: Vec<DependentToken>,
}

impl Groups {
    /// Makes the items from `mark` on unique by token and relation, in order of first occurrence. Of those that were
    /// several, parents are unique, first occurrence first. Returns how many parents were looked at.
    pub fn merge(
        &mut self,
        items: &mut Vec<DependentToken>,
        mark: usize,
        parents: &mut Vec<u32>,
        leaves: &Leaves,
    ) -> usize {
        let n_groups = self.group(&items[mark..], leaves);
        if n_groups == items.len() - mark {
            return 0;
        }
        let mut n_parents = 0;
        self.merged.clear();
        for group in 0..n_groups {
            let (from, to) = (self.starts[group] as usize, self.starts[group + 1] as usize);
            let mut item = items[mark + self.order[from] as usize];
            if to - from > 1 {
                let start = parents.len();
                self.names.clear(leaves.n_names());
                for at in &self.order[from..to] {
                    let (from, to) = items[mark + *at as usize].parents;
                    n_parents += (to - from) as usize;
                    for at in from..to {
                        let name = parents[at as usize];
                        let here = parents.len() as u32;
                        if self.names.mark(name, here) == here {
                            parents.push(name);
                        }
                    }
                }
                item.parents = (start as u32, parents.len() as u32);
            }
            self.merged.push(item);
        }
        items.truncate(mark);
        items.extend_from_slice(&self.merged);
        n_parents
    }

    /// Sorts items into groups of the same token and relation; returns how many groups there are.
    fn group(&mut self, items: &[DependentToken], leaves: &Leaves) -> usize {
        self.keys.clear(leaves.n_tokens as usize * 2);
        self.group_of.clear();
        let mut n_groups = 0;
        for item in items {
            let key = item.token * 2 + u32::from(item.relation == Relation::ComputedFrom);
            let group = self.keys.mark(key, n_groups);
            n_groups += u32::from(group == n_groups);
            self.group_of.push(group);
        }
        self.sort(n_groups as usize);
        n_groups as usize
    }

    /// Fills `starts` and `order` from `group_of`; the order within a group stays.
    fn sort(&mut self, n_groups: usize) {
        self.starts.clear();
        self.starts.resize(n_groups + 1, 0);
        for group in &self.group_of {
            self.starts[*group as usize + 1] += 1;
        }
        for group in 0..n_groups {
            self.starts[group + 1] += self.starts[group];
        }
        self.order.clear();
        self.order.resize(self.group_of.len(), 0);
        for (group, at) in self.group_of.iter().zip(0..) {
            let place = &mut self.starts[*group as usize];
            self.order[*place as usize] = at;
            *place += 1;
        }
        // Each start has become the next one.
        self.starts.rotate_right(1);
        self.starts[0] = 0;
    }

    /// Makes flows of items: one per token, in the order of the text, with the relation of the first item; the parents
    /// of several items are made unique.
    pub fn finish(
        &mut self,
        items: &[DependentToken],
        parents: &[u32],
        leaves: &Leaves,
        flows: &mut Flows,
    ) {
        self.group_of.clear();
        self.group_of
            .extend(items.iter().map(|dependent_token| dependent_token.token));
        self.sort(leaves.n_tokens as usize);
        self.keys.clear(leaves.n_names());
        let mut n_variables = 0;
        for token in 0..leaves.n_tokens as usize {
            let (from, to) = (self.starts[token] as usize, self.starts[token + 1] as usize);
            let Some(first) = self.order[from..to].first() else {
                continue;
            };
            let start = flows.parents.len();
            self.names.clear(leaves.n_names());
            for at in &self.order[from..to] {
                let (start, end) = items[*at as usize].parents;
                for name in &parents[start as usize..end as usize] {
                    let here = flows.parents.len() as u32;
                    if to - from == 1 || self.names.mark(*name, here) == here {
                        let variable = self.keys.mark(*name, n_variables);
                        n_variables += u32::from(variable == n_variables);
                        flows.parents.push(variable);
                    }
                }
            }
            let variable = self.keys.mark(leaves.names[token], n_variables);
            n_variables += u32::from(variable == n_variables);
            flows.flows.push(Flow {
                variable,
                relation: items[*first as usize].relation,
                parents: (start as u32, flows.parents.len() as u32),
                place: leaves.places[token],
            });
        }
    }
}
