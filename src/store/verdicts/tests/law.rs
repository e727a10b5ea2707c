//! For any sequence of two annotators' actions, the valid events are those of two undo stacks.

use proptest::prelude::*;

use super::*;

/// An action of one annotator.
#[derive(Clone, Debug)]
enum AnnotatorStep {
    Say(Box<EventKind>),
    AcceptAll(Vec<u8>),
    Undo,
    Redo,
}

fn steps() -> impl Strategy<Value = Vec<(bool, i64, AnnotatorStep)>> {
    let judgement = prop_oneof![
        Just(Judgement::Accept),
        Just(Judgement::NoFocal),
        Just(Judgement::Pick("p.D#n()".to_owned())),
    ];
    let kind = prop_oneof![
        4 => (0..4_u8, judgement).prop_map(|(number, it)| judged(number, it)),
        1 => (0..4_u8).prop_map(|number| EventKind::Marked { key: key(number) }),
        1 => (0..4_u8).prop_map(|number| EventKind::Unmarked { key: key(number) }),
        1 => (0..2_u8, 0..2_u8).prop_map(|(number, mutant)| equivalent(number, mutant)),
        1 => (0..2_u8, 0..2_u8).prop_map(|(number, mutant)| EventKind::NotEquivalent {
            key: key(number),
            mutant: ContentHash([mutant; 16]),
        }),
        2 => (0..2_u8, 0..2_u32, 0..8_u32)
            .prop_map(|(number, attempt, tags)| EventKind::Tagged(tagged(number, attempt, Tags(tags)))),
        1 => (0..4_u8, "[ab]?").prop_map(|(number, note)| EventKind::Noted { key: key(number), note }),
    ];
    let step = prop_oneof![
        4 => kind.prop_map(|it| AnnotatorStep::Say(Box::new(it))),
        1 => prop::collection::vec(0..4_u8, 1..4).prop_map(AnnotatorStep::AcceptAll),
        3 => Just(AnnotatorStep::Undo),
        2 => Just(AnnotatorStep::Redo),
    ];
    prop::collection::vec((any::<bool>(), 0..50_i64, step), 0..30)
}

/// An undo and a redo stack, as in an editor; a batch with its samples is one entry.
#[derive(Default)]
struct Model {
    done: Vec<(EventKind, Vec<u8>)>,
    undone: Vec<(EventKind, Vec<u8>)>,
}

impl Model {
    fn provisional(&self) -> Vec<SampleKey> {
        let own = self.verdicts();
        let all = self.done.iter().flat_map(|pair| &pair.1);
        let keys: BTreeSet<SampleKey> = all.map(|number| key(*number)).collect();
        keys.into_iter()
            .filter(|sample_key| !own.contains_key(sample_key))
            .collect()
    }

    fn verdicts(&self) -> BTreeMap<SampleKey, Judgement> {
        let judgements = self
            .done
            .iter()
            .filter_map(|(event_kind, _)| match event_kind {
                EventKind::Judged(judged) => Some((judged.key, judged.judgement.clone())),
                _ => None,
            });
        judgements.collect()
    }

    fn rulings(&self) -> BTreeMap<(SampleKey, u32), u32> {
        let tagged = self.done.iter().filter_map(|pair| pair.0.tagged());
        tagged
            .map(|tagged_prediction| {
                (
                    (tagged_prediction.key, tagged_prediction.attempt),
                    tagged_prediction.tags.0,
                )
            })
            .collect()
    }

    fn equivalents(&self) -> Vec<ContentHash> {
        let mut marks = BTreeMap::new();
        for (kind, _) in &self.done {
            match kind {
                EventKind::Equivalent { mutant, .. } => marks.insert(mutant.0, true),
                EventKind::NotEquivalent { mutant, .. } => marks.insert(mutant.0, false),
                _ => None,
            };
        }
        let marks = marks.into_iter().filter(|mark| mark.1);
        marks.map(|mark| ContentHash(mark.0)).collect()
    }

    fn marks(&self) -> Vec<SampleKey> {
        let mut marks = BTreeMap::new();
        for (kind, _) in &self.done {
            match kind {
                EventKind::Marked { key } => marks.insert(*key, true),
                EventKind::Unmarked { key } => marks.insert(*key, false),
                _ => None,
            };
        }
        marks
            .into_iter()
            .filter(|mark| mark.1)
            .map(|mark| mark.0)
            .collect()
    }
}

fn run(verdicts: &mut Verdicts, steps: &[(bool, i64, AnnotatorStep)]) -> [Model; 2] {
    let mut models = [Model::default(), Model::default()];
    for (who, now_ms, step) in steps {
        let model = &mut models[usize::from(*who)];
        let annotator = ["ada", "eva"][usize::from(*who)];
        match step {
            AnnotatorStep::Say(kind) => {
                verdicts
                    .append(annotator, *now_ms, vec![(**kind).clone()])
                    .expect("an event is added");
                model.done.push(((**kind).clone(), Vec::new()));
                model.undone.clear();
            }
            AnnotatorStep::AcceptAll(numbers) => {
                let judgements = numbers.iter().map(|number| accepted(*number)).collect();
                let event = verdicts
                    .append_batch(annotator, *now_ms, batch(), judgements)
                    .expect("a batch is added");
                model.done.push((event.kind().clone(), numbers.clone()));
                model.undone.clear();
            }
            AnnotatorStep::Undo => {
                let undone = verdicts.undo(annotator, *now_ms).expect("it is undone");
                let expected = model.done.pop();
                let expected_kind = expected.as_ref().map(|expected| expected.0.clone());
                assert_eq!(undone.map(|event| event.kind().clone()), expected_kind);
                model.undone.extend(expected);
            }
            AnnotatorStep::Redo => {
                let redone = verdicts.redo(annotator, *now_ms).expect("it is redone");
                let expected = model.undone.pop();
                let expected_kind = expected.as_ref().map(|expected| expected.0.clone());
                assert_eq!(redone.map(|event| event.kind().clone()), expected_kind);
                model.done.extend(expected);
            }
        }
    }
    models
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_holds_is_what_two_stacks_say(steps in steps()) {
        let (_folder, mut verdicts) = fresh();
        let models = run(&mut verdicts, &steps);
        for (annotator, model) in ["ada", "eva"].into_iter().zip(models) {
            let of_annotator = verdicts.of_annotator(annotator).expect("verdicts read");
            let actual: BTreeMap<_, _> = of_annotator
                .into_iter()
                .map(|it| (it.judged.key, it.judged.judgement))
                .collect();
            prop_assert_eq!(actual, model.verdicts());
            let provisional = verdicts.provisional_of_annotator(annotator).expect("they read");
            let provisional: Vec<_> = provisional.into_iter().map(|it| it.judged.key).collect();
            prop_assert_eq!(provisional, model.provisional());
            prop_assert_eq!(rulings(&verdicts, annotator), model.rulings());
            prop_assert_eq!(verdicts.marks_of(annotator).expect("marks read"), model.marks());
            let equivalents = verdicts.equivalents().expect("equivalents read").into_iter();
            let own = equivalents.filter(|it| it.1 == annotator).map(|it| it.0);
            prop_assert_eq!(own.collect::<Vec<_>>(), model.equivalents());
        }
    }

    #[test]
    fn as_many_undos_as_steps_restore_the_state(before in steps(), n_steps in 1..8_u8) {
        let (_folder, mut verdicts) = fresh();
        run(&mut verdicts, &before);
        let was = state(&verdicts);
        for number in 0..n_steps {
            verdicts
                .append("ada", 1, vec![judged(number, Judgement::Unsure)])
                .expect("an event is added");
        }
        let then = state(&verdicts);
        for _ in 0..n_steps {
            verdicts.undo("ada", 1).expect("it is undone");
        }
        prop_assert_eq!(state(&verdicts), was);
        for _ in 0..n_steps {
            verdicts.redo("ada", 1).expect("it is redone");
        }
        prop_assert_eq!(state(&verdicts), then);
    }

    #[test]
    fn merging_is_commutative_and_idempotent(first in steps(), second in steps(), cut in 0..60_usize) {
        let of = |steps: &[(bool, i64, AnnotatorStep)]| {
            let (_folder, mut verdicts) = fresh();
            run(&mut verdicts, steps);
            events(&verdicts)
        };
        let (a, b) = (of(&first), of(&second));
        let merged = |parts: &[&[Event]]| {
            let (_folder, mut verdicts) = fresh();
            for part in parts {
                verdicts.merge(part).expect("it is merged");
            }
            (events(&verdicts), state(&verdicts))
        };
        let expected = merged(&[&a, &b]);
        let (head, tail) = b.split_at(cut.min(b.len()));
        prop_assert_eq!(&merged(&[&b, &a]), &expected);
        prop_assert_eq!(&merged(&[tail, &a, &b, head, &a]), &expected);
    }
}
