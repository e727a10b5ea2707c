//! Finds which classes lie below which.

use super::JavaScriptProject;
use crate::hierarchy::Hierarchy;
use crate::javascript::eval::Eval;
use crate::javascript::facts::ClassId;
use crate::javascript::value::{InstanceOrigin, JavaScriptValue};
use crate::model::FileId;

/// How many classes right below one are kept.
const BELOW_MAX: usize = 2_000;

pub fn fill(project: &mut JavaScriptProject) {
    let mut below = Hierarchy::default();
    for (n, script_file) in project.files.iter().enumerate() {
        let file = FileId(n as u32);
        let mut eval = Eval::new(project);
        for (at, class) in script_file.facts.classes.iter().enumerate() {
            eval.refresh();
            let id = ClassId(at as u32);
            let mut bases = Vec::new();
            if let Some(heritage) = class.heritage {
                bases.extend(eval.expr(file, heritage).list);
            }
            for &ty in class.supertypes.iter().take(32) {
                bases.extend(eval.ty(file, ty).list);
            }
            for base in bases {
                if let JavaScriptValue::Class(there, base)
                | JavaScriptValue::Instance(InstanceOrigin::Class(there, base)) = base
                {
                    let n_below = below.right_below((there, base)).len();
                    if n_below < BELOW_MAX && (there, base) != (file, id) {
                        below.add((there, base), (file, id));
                    }
                }
            }
        }
    }
    project.below = below;
}
