//! Methods that run before a test: widest scope first, bases before their subclasses.

use super::{attribute_class, has_any, scope_of};
use crate::csharp::facts::{AttributeDecl, MemberKind, Name, flag};
use crate::csharp::project::CSharpProject;
use crate::csharp::types::{CSharpMember, MemberId, Ty, TypeId};
use crate::model::{MethodId, Origin};

/// Attributes of methods that run once for a class.
const ONCE: &[&str] = &["OneTimeSetUp", "TestFixtureSetUp"];

/// The same in `MSTest`, where the methods of a base class run only with [`TO_BELOW`].
const ONCE_OF_CLASS: &str = "ClassInitialize";

/// The end of the argument that makes such a method run for subclasses, too.
const TO_BELOW: &str = "BeforeEachDerivedClass";

/// Attributes of methods that run before every test.
const EACH: &[&str] = &["SetUp", "TestInitialize"];

/// Lists the methods that run before a test, in order.
pub fn fixtures(project: &CSharpProject, test: MethodId) -> Vec<MethodId> {
    let Some((_, member)) = project.member_of(test) else {
        return Vec::new();
    };
    let mut line: Vec<TypeId> = project
        .line(member.owner)
        .filter(|&type_id| !project.ty(type_id).is_library)
        .collect();
    line.reverse();
    let mut found = Vec::new();
    namespace_fixtures(project, member, &mut found);
    shared_fixtures(project, member.owner, &mut found);
    for &id in &line {
        once(project, id, id == member.owner, &mut found);
    }
    for &id in &line {
        constructors(project, id, &mut found);
    }
    for &id in &line {
        named(project, id, "InitializeAsync", &mut found);
    }
    for &id in &line {
        marked(project, id, EACH, &mut found);
    }
    let all = found.clone();
    found.retain(|method_id| *method_id != test && !is_overridden(project, *method_id, &all));
    found
}

/// Tells whether one of several methods runs in the place of another.
fn is_overridden(project: &CSharpProject, method: MethodId, all: &[MethodId]) -> bool {
    let Some((_, member)) = project.member_of(method) else {
        return false;
    };
    all.iter().any(|&method_id| {
        project.member_of(method_id).is_some_and(|(_, other)| {
            other.name == member.name
                && other.is(flag::OVERRIDE)
                && project
                    .overridden(other)
                    .any(|base_member| base_member.method == member.method)
        })
    })
}

fn push(project: &CSharpProject, member: &CSharpMember, found: &mut Vec<MethodId>) {
    if let Some(id) = member.method
        && project.methods[id.0 as usize].origin == Origin::Source
        && !found.contains(&id)
    {
        found.push(id);
    }
}

fn members(project: &CSharpProject, id: TypeId) -> impl Iterator<Item = &CSharpMember> {
    // In source order, not by name.
    let mut ids: Vec<MemberId> = project
        .ty(id)
        .members
        .iter()
        .map(|member| member.1)
        .collect();
    ids.sort_unstable();
    ids.into_iter().map(|id| project.member(id))
}

/// Finds a type's methods with one of those attributes; an override inherits them.
fn marked(project: &CSharpProject, id: TypeId, names: &[&str], found: &mut Vec<MethodId>) {
    for member in members(project, id) {
        if member.kind != MemberKind::Method {
            continue;
        }
        let is_marked = has_own(project, member, names)
            || (member.is(flag::OVERRIDE)
                && project
                    .overridden(member)
                    .any(|member| has_own(project, member, names)));
        if is_marked {
            push(project, member, found);
        }
    }
}

fn has_own(project: &CSharpProject, member: &CSharpMember, names: &[&str]) -> bool {
    let facts = &project.file(member.file).facts;
    let decl = project.member_decl(member);
    decl.is_some_and(|member_decl| has_any(facts, member_decl.attributes, names))
}

/// Finds the methods that a class runs once before its tests, or before those of a class below it.
///
/// `MSTest` runs a base's method only if its attribute says so.
fn once(project: &CSharpProject, id: TypeId, is_own: bool, found: &mut Vec<MethodId>) {
    marked(project, id, ONCE, found);
    if is_own {
        marked(project, id, &[ONCE_OF_CLASS], found);
        return;
    }
    for member in members(project, id) {
        let Some(decl) = project.member_decl(member) else {
            continue;
        };
        let facts = &project.file(member.file).facts;
        let mut attributes = facts.attributes[decl.attributes.range()].iter();
        let is_inherited = attributes.any(|attribute| {
            super::simple(facts, attribute.ty) == ONCE_OF_CLASS
                && facts.word(attribute.text).ends_with(TO_BELOW)
        });
        if is_inherited {
            push(project, member, found);
        }
    }
}

fn named(project: &CSharpProject, id: TypeId, name: &str, found: &mut Vec<MethodId>) {
    let Some(name) = project.symbols.find(name) else {
        return;
    };
    for member_id in project.own_members(id, name) {
        let member = project.member(member_id);
        if member.params.is_empty() {
            push(project, member, found);
        }
    }
}

fn constructors(project: &CSharpProject, id: TypeId, found: &mut Vec<MethodId>) {
    for constructor in project.constructors(id) {
        push(project, project.member(constructor), found);
    }
}

/// Finds the methods of `[SetUpFixture]` classes in the namespaces around, and those that run once for the assembly.
fn namespace_fixtures(project: &CSharpProject, test: &CSharpMember, found: &mut Vec<MethodId>) {
    let own = project.file(test.file).project;
    let namespace = project.word(project.ty(test.owner).namespace).to_owned();
    let mut setups: Vec<(usize, TypeId)> = Vec::new();
    for &(id, is_setup) in &project.setups {
        let (file, _) = project.ty(id).parts[0];
        if project.file(file).project != own {
            continue;
        }
        let there = project.word(project.ty(id).namespace);
        let is_around = there.is_empty()
            || namespace
                .strip_prefix(there)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        if !is_setup || is_around {
            setups.push((if is_setup { there.len() } else { 0 }, id));
        }
    }
    setups.sort_unstable();
    for (_, id) in setups {
        marked(
            project,
            id,
            &["AssemblyInitialize", "OneTimeSetUp", "SetUp"],
            found,
        );
    }
}

/// Finds the constructors of the fixtures that a class shares with others, and their `InitializeAsync`.
fn shared_fixtures(project: &CSharpProject, owner: TypeId, found: &mut Vec<MethodId>) {
    let mut shared = Vec::new();
    if let Some(collection) = collection_of(project, owner, "Collection") {
        for &id in &project.collections {
            if collection_of(project, id, "CollectionDefinition") == Some(collection.clone()) {
                fixtures_of(project, id, "Xunit.ICollectionFixture", &mut shared);
            }
        }
    }
    fixtures_of(project, owner, "Xunit.IClassFixture", &mut shared);
    for id in shared {
        let mut line: Vec<TypeId> = project
            .line(id)
            .filter(|&type_id| !project.ty(type_id).is_library)
            .collect();
        line.reverse();
        for id in line {
            constructors(project, id, found);
            named(project, id, "InitializeAsync", found);
        }
    }
}

/// Finds the text in the brackets of a class's attribute.
fn collection_of(project: &CSharpProject, id: TypeId, name: &str) -> Option<String> {
    project.type_decls(id).find_map(|(file, decl)| {
        let facts = &project.file(file).facts;
        let mut attributes = facts.attributes[decl.attributes.range()].iter();
        let attribute: &AttributeDecl =
            attributes.find(|attribute| super::simple(facts, attribute.ty) == name)?;
        (attribute.text != Name::NONE).then(|| facts.word(attribute.text).to_owned())
    })
}

fn fixtures_of(project: &CSharpProject, id: TypeId, interface: &str, shared: &mut Vec<TypeId>) {
    let own = project.self_type(id);
    for type_id in project.line(id) {
        let bound = project.bindings(&own, type_id);
        for base in &project.ty(type_id).bases {
            if let Ty::Named(base, args) = base
                && &*project.ty(*base).qualified == interface
                && let Some(fixture) = args.first().and_then(|arg| arg.with(&bound).id())
                && !shared.contains(&fixture)
            {
                shared.push(fixture);
            }
        }
    }
}

/// Finds the classes that set up namespaces (with `true`) or assemblies, and those that define collections.
pub fn setups(project: &CSharpProject) -> (Vec<(TypeId, bool)>, Vec<TypeId>) {
    let mut setups = Vec::new();
    let mut collections = Vec::new();
    for at in 0..project.types.len() as u32 {
        let id = TypeId(at);
        if project.ty(id).is_library {
            continue;
        }
        let has = |names: &[&str]| {
            let mut decls = project.type_decls(id);
            decls.any(|(file, decl)| has_any(&project.file(file).facts, decl.attributes, names))
        };
        if has(&["SetUpFixture"]) {
            setups.push((id, true));
        } else if has(&["TestClass"]) && has_assembly_setup(project, id) {
            setups.push((id, false));
        }
        if has(&["CollectionDefinition"]) {
            collections.push(id);
        }
    }
    (setups, collections)
}

fn has_assembly_setup(project: &CSharpProject, id: TypeId) -> bool {
    members(project, id).any(|member| {
        project.member_decl(member).is_some_and(|decl| {
            let facts = &project.file(member.file).facts;
            let attributes = &facts.attributes[decl.attributes.range()];
            let scope = scope_of(project, member, decl.owner);
            attributes.iter().any(|attribute| {
                super::simple(facts, attribute.ty) == "AssemblyInitialize"
                    && attribute_class(project, facts, attribute.ty, scope)
                        .is_none_or(|type_id| project.ty(type_id).is_library)
            })
        })
    })
}
