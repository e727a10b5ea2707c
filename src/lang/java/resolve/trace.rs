//! The resolution of one call, as steps for people; nothing is recorded for other calls.
//!
//! This file decides nothing: it uses the results of the walk, and repeats the choice of overloads argument by argument
//! to tell why a candidate does not take them.

use super::expr::JavaValue;
use super::member::JavaMethodLookup;
use super::{JavaWalker, Numbering};
use crate::calls::{Trace, words};
use crate::index::ResolutionStep;
use crate::java::class::JavaMember;
use crate::java::facts::{SiteId, SiteKind, flag};
use crate::java::overload::{Arg, JavaCandidate, JavaOverloadChoice, Phase, applicable, param_at};
use crate::java::project::JavaProject;
use crate::java::types::{ClassId, MemberId, Ty};
use crate::model::MethodId;

/// Lists the steps in which a call of a method's body was resolved; `call` is its index among the body's calls.
pub fn trace(project: &JavaProject, method: MethodId, call: u32) -> Vec<ResolutionStep> {
    let Some((file_id, decl)) = project.method_decl(MemberId(method.0)) else {
        return Vec::new();
    };
    let numbering = Numbering::of(&project.file(file_id).facts, decl);
    let Some(&site) = numbering.order.get(call as usize) else {
        return Vec::new();
    };
    let site = SiteId(site);
    let walker = super::walked(project, method, |walker| {
        walker.trace = Some(Box::new(Trace::new(site.0)));
    });
    let Some(mut walker) = walker else {
        return Vec::new();
    };
    // A site that was never walked has no steps, but a resolution.
    let outcome = walker.found.get(site, walker.facts.site(site));
    walker.note(site, "resolved", |walker| {
        words(&walker.project.methods, &outcome)
    });
    walker.trace.map_or_else(Vec::new, |trace| trace.steps)
}

impl<'p> JavaWalker<'p> {
    /// Adds a step if the site is the one that is asked about.
    fn note(&mut self, id: SiteId, label: &'static str, detail: impl FnOnce(&Self) -> String) {
        if self.is_traced(id) {
            let detail = detail(self);
            if let Some(trace) = &mut self.trace {
                trace.steps.push(ResolutionStep::new(label, detail));
            }
        }
    }

    fn is_traced(&self, id: SiteId) -> bool {
        self.trace.as_ref().is_some_and(|trace| trace.of == id.0)
    }

    /// Records the expression before the dot.
    pub(super) fn note_receiver(&mut self, id: SiteId, receiver: Option<&JavaValue>) {
        self.note(id, "receiver", |walker| {
            let show = |ty: &Ty| walker.project.show(ty);
            match receiver {
                None => {
                    "none: looked for in the classes around the call, then among static imports"
                        .to_owned()
                }
                Some(JavaValue::Ty(Ty::Unknown)) => {
                    "its type is not known; if it is a call, explain that call first".to_owned()
                }
                Some(JavaValue::Ty(ty)) => format!("a value of type {}", show(ty)),
                Some(JavaValue::Class(ty)) => format!("the class {}", show(ty)),
                Some(JavaValue::Super(ty)) => format!("super, seen from {}", show(ty)),
                Some(JavaValue::Package(path)) => {
                    format!("`{path}`: neither a variable nor a class")
                }
                Some(JavaValue::Nothing) => "a name that is declared nowhere".to_owned(),
            }
        });
    }

    /// Records the class whose constructor is called.
    pub(super) fn note_created(&mut self, id: SiteId, ty: &Ty) {
        self.note(id, "class", |walker| match ty {
            Ty::Unknown => "not known".to_owned(),
            ty => walker.project.show(ty),
        });
    }

    /// Records the arguments and the candidates of a choice, and the choice.
    pub(super) fn note_choice(
        &mut self,
        id: SiteId,
        found: &JavaMethodLookup<'p>,
        args: &[Arg],
        choice: &JavaOverloadChoice,
    ) {
        if !self.is_traced(id) {
            return;
        }
        let project = self.project;
        let words: Vec<String> = args.iter().map(|arg| project.show_arg(arg)).collect();
        let words = if words.is_empty() {
            "none".to_owned()
        } else {
            words.join(", ")
        };
        self.note(id, "arguments", |_| words);
        if self.facts.site(id).kind == SiteKind::Call {
            self.note_scope(id, found);
        }
        for candidate in &found.candidates {
            self.note(id, "candidate", |_| {
                let name = project.show_member(candidate.member);
                format!("{name}: {}", why_taken(project, candidate, args))
            });
        }
        if let Some(missing) = &found.missing {
            self.note(id, "missing", |_| match &**missing {
                "" => {
                    "static imports of classes that are in no file and no known library".to_owned()
                }
                name => {
                    let what = if found.candidates.is_empty() {
                        "the method"
                    } else {
                        "more of that name"
                    };
                    format!("`{name}` is in no file and no known library; it may declare {what}")
                }
            });
        }
        self.note(id, "chosen", |_| chosen(project, found, args, choice));
    }

    /// Records where the methods of an unqualified call were found.
    fn note_scope(&mut self, id: SiteId, found: &JavaMethodLookup<'p>) {
        let site = self.facts.site(id);
        let (None, Some(first)) = (site.object, found.candidates.first()) else {
            return;
        };
        let owner = first.member.owner;
        self.note(id, "found in", |walker| {
            let name = &walker.project.class(owner).qualified;
            let project = walker.project;
            let mut around: Vec<ClassId> = walker
                .frames
                .iter()
                .rev()
                .map(|frame| frame.class)
                .collect();
            while let Some(outer) = around.last().and_then(|class| project.class(*class).outer) {
                around.push(outer);
            }
            if around.contains(&owner) {
                format!("{name}, around the call")
            } else if around.iter().any(|&class| project.is_below(class, owner)) {
                format!("{name}, inherited by a class around the call")
            } else {
                format!("{name}, imported statically")
            }
        });
    }

    /// Records the type of the call's value.
    pub(super) fn note_result(&mut self, id: SiteId, ty: &Ty) {
        self.note(id, "result", |walker| walker.project.show(ty));
    }
}

/// Tells in which phase a candidate takes the arguments, or why it does not.
fn why_taken(project: &JavaProject, candidate: &JavaCandidate<'_>, args: &[Arg]) -> String {
    if let Some((phase, is_sure)) = applicable(project, candidate, args) {
        let sure = if is_sure {
            ""
        } else {
            ", as far as types are known"
        };
        return format!("applicable {}{sure}", phase_in_words(phase));
    }
    let member = candidate.member;
    let n_params = member.params.len();
    let is_varargs = member.is(flag::VARARGS);
    if args.len() != n_params && !(is_varargs && args.len() + 1 >= n_params) {
        let more = if is_varargs { " or more" } else { "" };
        let n_needed = n_params - usize::from(is_varargs);
        let plural = if n_needed == 1 && !is_varargs {
            ""
        } else {
            "s"
        };
        return format!(
            "not applicable: takes {n_needed}{more} argument{plural}, not {}",
            args.len()
        );
    }
    let blank = |kept: usize| -> Vec<Arg> {
        let args = args.iter().enumerate();
        args.map(|(at, arg)| {
            if at == kept {
                arg.clone()
            } else {
                Arg::Ty(Ty::Unknown)
            }
        })
        .collect()
    };
    let culprit = (0..args.len()).find(|&at| applicable(project, candidate, &blank(at)).is_none());
    let Some(at) = culprit else {
        return "not applicable: its type variables cannot be all of the arguments' types"
            .to_owned();
    };
    let phase = if args.len() == n_params {
        Phase::Loose
    } else {
        Phase::Varargs
    };
    let wanted = param_at(member, at, args.len(), phase)
        .map_or(Ty::Unknown, |param| candidate.subst.apply(param));
    format!(
        "not applicable: argument {} is {}, not {}",
        at + 1,
        project.show_arg(&args[at]),
        project.show(&wanted)
    )
}

const fn phase_in_words(phase: Phase) -> &'static str {
    match phase {
        Phase::Strict => "strictly",
        Phase::Loose => "loosely, with boxing",
        Phase::Varargs => "with variable arity",
    }
}

fn chosen(
    project: &JavaProject,
    found: &JavaMethodLookup<'_>,
    args: &[Arg],
    choice: &JavaOverloadChoice,
) -> String {
    let name = |index: usize| project.show_member(found.candidates[index].member);
    let candidates = found.candidates.iter();
    let n_applicable = candidates
        .filter(|candidate| applicable(project, candidate, args).is_some())
        .count();
    match choice {
        JavaOverloadChoice::One(index, _) => {
            let why = match n_applicable {
                0 => "it fits when type arguments are left out",
                1 => "the only one that is applicable",
                _ => "the most specific of those that are applicable in the same phase",
            };
            format!("{}: {why}", name(*index))
        }
        JavaOverloadChoice::Many(indices) => {
            let names: Vec<String> = indices.iter().map(|&index| name(index)).collect();
            format!("none is known to be more specific: {}", names.join(" | "))
        }
        JavaOverloadChoice::None if found.candidates.is_empty() => {
            "nothing: no known class declares a method of that name".to_owned()
        }
        JavaOverloadChoice::None => "none is applicable".to_owned(),
    }
}

impl JavaProject {
    /// Writes a type for people, with its arguments.
    fn show(&self, ty: &Ty) -> String {
        let list = |types: &[Ty]| types.iter().map(|ty| self.show(ty)).collect::<Vec<_>>();
        match ty {
            Ty::Unknown => "unknown".to_owned(),
            Ty::Missing(name) => format!("{name} (in no file and no known library)"),
            Ty::Null => "null".to_owned(),
            Ty::Class(class, args) => {
                let name = &self.class(*class).qualified;
                match args {
                    Some(args) => format!("{name}<{}>", list(args).join(", ")),
                    None => name.to_string(),
                }
            }
            Ty::Array(element) => format!("{}[]", self.show(element)),
            Ty::Var(var) if !var.is_library() => {
                self.word(self.vars[var.0 as usize].name).to_owned()
            }
            Ty::Wild => "?".to_owned(),
            Ty::Extends(bound) => format!("? extends {}", self.show(bound)),
            Ty::Super(bound) => format!("? super {}", self.show(bound)),
            Ty::Both(parts) => list(parts).join(" & "),
            Ty::Void | Ty::Prim(_) | Ty::Var(_) => self.key_of(ty),
        }
    }

    /// Writes a member as `p.Counter#add(int)`.
    fn show_member(&self, member: &JavaMember) -> String {
        let class = &self.class(member.owner).qualified;
        let params: Vec<String> = member.params.iter().map(|ty| self.key_of(ty)).collect();
        format!("{class}#{}({})", self.member_name(member), params.join(","))
    }

    fn show_arg(&self, arg: &Arg) -> String {
        match arg {
            Arg::Ty(ty) => self.show(ty),
            Arg::Lambda(shape) => format!(
                "a lambda with {} parameters{}",
                shape.n_params,
                match (shape.may_be_void, shape.may_be_value) {
                    (true, false) => " and no value",
                    (false, true) => " and a value",
                    _ => "",
                }
            ),
            Arg::Reference(_) => "a method reference".to_owned(),
            Arg::Free => "a generic call that fits every reference type".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use expect_test::{Expect, expect};

    use crate::model::{Language, MethodId};
    use crate::{Outside, Project, SourceText, project_of};

    fn read(text: &str) -> Project {
        let path = "A.java";
        project_of(
            Language::Java,
            [SourceText { path, text }],
            &Outside::default(),
        )
    }

    /// Shows the steps of the call of that name in `void t() { … }`.
    fn check(name: &str, body: &str, expected: &Expect) {
        let text = format!(
            "package p;\nimport java.util.*;\nimport static java.lang.Math.max;\nclass A extends Base {{\n  void t() {{ {body} }}\n  int f(int a) {{ return 1; }}\n  long f(long a, Integer b) {{ return 1; }}\n  void f(Object... all) {{}}\n  void g(String a) {{}}\n  void g(Integer a) {{}}\n  void run(Runnable r) {{}}\n}}\nclass Base extends lib.Gone {{ static <T> T same(T t) {{ return t; }} Base() {{}} Base(int a) {{}} }}\n"
        );
        let project = read(&text);
        let method = project.methods.iter().position(|method| method.name == "t");
        let method = MethodId(method.expect("the text has it") as u32);
        let calls = project.index.calls(method);
        let call = calls.iter().position(|call| call.name == name);
        let call = call.expect("the body has it") as u32;
        let steps = project.index.trace(method, call);
        let steps: Vec<String> = steps
            .iter()
            .map(|step| format!("{}: {}\n", step.label, step.detail))
            .collect();
        expected.assert_eq(&steps.concat());
    }

    #[test]
    fn candidates_are_told_with_phase_or_obstacle() {
        check(
            "f",
            "f(1);",
            &expect![[r"
            receiver: none: looked for in the classes around the call, then among static imports
            arguments: int
            found in: p.A, around the call
            candidate: p.A#f(int): applicable strictly
            candidate: p.A#f(long,java.lang.Integer): not applicable: takes 2 arguments, not 1
            candidate: p.A#f(java.lang.Object[]): applicable with variable arity
            missing: `lib.Gone` is in no file and no known library; it may declare more of that name
            chosen: p.A#f(int): the most specific of those that are applicable in the same phase
            result: int
            resolved: declared p.A#f(int)
        "]],
        );
        check(
            "f",
            "f('x', 2);",
            &expect![[r"
            receiver: none: looked for in the classes around the call, then among static imports
            arguments: char, int
            found in: p.A, around the call
            candidate: p.A#f(int): not applicable: takes 1 argument, not 2
            candidate: p.A#f(long,java.lang.Integer): applicable loosely, with boxing
            candidate: p.A#f(java.lang.Object[]): applicable with variable arity
            missing: `lib.Gone` is in no file and no known library; it may declare more of that name
            chosen: p.A#f(long,java.lang.Integer): the most specific of those that are applicable in the same phase
            result: long
            resolved: declared p.A#f(long,java.lang.Integer)
        "]],
        );
    }

    #[test]
    fn an_ambiguous_call_names_what_is_left() {
        check(
            "g",
            "g(null);",
            &expect![[r"
            receiver: none: looked for in the classes around the call, then among static imports
            arguments: null
            found in: p.A, around the call
            candidate: p.A#g(java.lang.String): applicable strictly
            candidate: p.A#g(java.lang.Integer): applicable strictly
            missing: `lib.Gone` is in no file and no known library; it may declare more of that name
            chosen: none is known to be more specific: p.A#g(java.lang.String) | p.A#g(java.lang.Integer)
            result: void
            resolved: ambiguous p.A#g(java.lang.String) | p.A#g(java.lang.Integer)
        "]],
        );
    }

    #[test]
    fn a_call_without_receiver_says_where_it_was_found() {
        check(
            "same",
            "same(new ArrayList<String>());",
            &expect![[r"
            receiver: none: looked for in the classes around the call, then among static imports
            arguments: java.util.ArrayList<java.lang.String>
            found in: p.Base, inherited by a class around the call
            candidate: p.Base#same(java.lang.Object): applicable strictly
            missing: `lib.Gone` is in no file and no known library; it may declare more of that name
            chosen: p.Base#same(java.lang.Object): the only one that is applicable
            result: java.util.ArrayList<java.lang.String>
            resolved: declared p.Base#same(java.lang.Object)
        "]],
        );
        check(
            "max",
            "max(1, 2);",
            &expect![[r"
            receiver: none: looked for in the classes around the call, then among static imports
            arguments: int, int
            found in: java.lang.Math, imported statically
            candidate: java.lang.Math#max(int,int): applicable strictly
            candidate: java.lang.Math#max(long,long): applicable strictly
            candidate: java.lang.Math#max(float,float): applicable strictly
            candidate: java.lang.Math#max(double,double): applicable strictly
            chosen: java.lang.Math#max(int,int): the most specific of those that are applicable in the same phase
            result: int
            resolved: outside java.lang.Math
        "]],
        );
        check(
            "lost",
            "lost();",
            &expect![[r"
            receiver: none: looked for in the classes around the call, then among static imports
            arguments: none
            missing: `lib.Gone` is in no file and no known library; it may declare the method
            chosen: nothing: no known class declares a method of that name
            result: unknown
            resolved: outside lib.Gone
        "]],
        );
    }

    #[test]
    fn a_receiver_is_told_by_its_type() {
        check(
            "get",
            "List<String> l = null; l.get(0);",
            &expect![[r"
            receiver: a value of type java.util.List<java.lang.String>
            arguments: int
            candidate: java.util.List#get(int): applicable strictly
            chosen: java.util.List#get(int): the only one that is applicable
            result: java.lang.String
            resolved: outside java.util.List
        "]],
        );
        check(
            "x",
            "nothing.x();",
            &expect![[r"
            receiver: `nothing`: neither a variable nor a class
            resolved: unknown (receiver_name): the receiver is declared nowhere: run the build's code generators, then mine again
        "]],
        );
        check(
            "y",
            "var v = this.lost(); v.y();",
            &expect![[r"
            receiver: its type is not known; if it is a call, explain that call first
            resolved: unknown (receiver_type): the receiver's type was lost on the way: `focalist explain PATH TEST --call LINE` shows where
        "]],
        );
    }

    #[test]
    fn constructors_and_references_have_steps_too() {
        check(
            "<init>",
            "new Base(\"a\");",
            &expect![[r"
            class: p.Base
            arguments: java.lang.String
            candidate: p.Base#<init>(): not applicable: takes 0 arguments, not 1
            candidate: p.Base#<init>(int): not applicable: argument 1 is java.lang.String, not int
            chosen: none is applicable
            result: unknown
            resolved: unknown (no_overload_fits): no method of that name takes these arguments: `focalist explain PATH TEST --call LINE` compares them
        "]],
        );
        check(
            "g",
            "Arrays.asList(\"a\").forEach(this::g);",
            &expect![[r"
                receiver: a value of type p.A
                arguments: java.lang.String
                candidate: p.A#g(java.lang.String): applicable strictly
                candidate: p.A#g(java.lang.Integer): not applicable: argument 1 is java.lang.String, not java.lang.Integer
                missing: `lib.Gone` is in no file and no known library; it may declare more of that name
                chosen: p.A#g(java.lang.String): the only one that is applicable
                resolved: declared p.A#g(java.lang.String)
            "]],
        );
    }

    #[test]
    fn lambdas_are_told_by_their_shape() {
        check(
            "run",
            "run(() -> {});",
            &expect![[r"
            receiver: none: looked for in the classes around the call, then among static imports
            arguments: a lambda with 0 parameters and no value
            found in: p.A, around the call
            candidate: p.A#run(java.lang.Runnable): applicable strictly
            missing: `lib.Gone` is in no file and no known library; it may declare more of that name
            chosen: p.A#run(java.lang.Runnable): the only one that is applicable
            result: void
            resolved: declared p.A#run(java.lang.Runnable)
        "]],
        );
    }

    #[test]
    fn a_call_that_is_not_there_has_no_steps() {
        let project = read("class A { void t() {} }");
        assert_eq!(project.index.trace(MethodId(0), 0), []);
        assert_eq!(project.index.trace(MethodId(0), 7), []);
    }
}
