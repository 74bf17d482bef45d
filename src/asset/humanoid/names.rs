//! Finds bones by the words in the names of nodes: those of Mixamo, Ready Player Me, VRoid, Unreal Engine, 3ds Max's
//! Biped, Rigify, Daz, Reallusion, SMPL, Quaternius, KayKit and of motion capture files.

use crate::asset::human_bone::{Finger, HumanBone, Limb, Phalanx, Side};
use crate::asset::{Model, Skeleton};
use crate::ids::NodeId;
use crate::vocab::parts_of_name;
use std::collections::{BTreeMap, BTreeSet};

/// What the words of a name say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Word {
    Hips,
    Neck,
    Head,
    /// Collar bone, or the upper arm where a collar bone is named besides.
    Shoulder,
    Collar,
    /// Upper arm, where none is named more clearly.
    Arm,
    UpperArm,
    LowerArm,
    Hand,
    /// Upper leg, where none is named more clearly.
    Hip,
    /// Lower leg where an upper one is named, else the upper.
    Leg,
    UpperLeg,
    LowerLeg,
    Foot,
    Toes,
    Finger(Finger),
}

/// Parts of names that say nothing, with spaces between: prefixes of programs, kinds of nodes.
const EMPTY_WORDS: &str = "mixamorig bip biped valve def jnt joint bone j c b bn cc base bend rig";
/// Parts of names of nodes that are no bones of the body, likewise: controls, helpers, ends, hair and clothes.
const OTHER_WORDS: &str = "twist roll ik pole target ctrl control end nub tip helper mch org adj sec metacarpal slot share \
                           aux socket weapon hair skirt breast bust sleeve cape tail top eye jaw ear prop mesh geo";
const WORDS: &[(Word, &[&str])] = &[
    (Word::Hips, &["hips", "pelvis"]),
    (Word::Neck, &["neck", "necklower", "lowerneck"]),
    (Word::Head, &["head"]),
    (Word::Shoulder, &["shoulder"]),
    (Word::Collar, &["clavicle", "collar", "collarbone"]),
    (Word::Arm, &["arm"]),
    (Word::UpperArm, &["upperarm", "uparm", "armupper", "shldr", "humerus"]),
    (Word::LowerArm, &["lowerarm", "forearm", "lowarm", "armlower", "elbow"]),
    (Word::Hand, &["hand", "wrist", "palm", "fist"]),
    (Word::Hip, &["hip"]),
    (Word::Leg, &["leg"]),
    (Word::UpperLeg, &["upperleg", "upleg", "legupper", "thigh"]),
    (Word::LowerLeg, &["lowerleg", "lowleg", "leglower", "calf", "shin", "knee"]),
    (Word::Foot, &["foot", "ankle"]),
    (Word::Toes, &["toe", "toes", "ball"]),
];
const FINGERS: &[(Finger, &[&str])] = &[
    (Finger::Thumb, &["thumb"]),
    (Finger::Index, &["index"]),
    (Finger::Middle, &["middle", "mid"]),
    (Finger::Ring, &["ring"]),
    (Finger::Little, &["little", "pinky", "pinkie"]),
];

/// Most nodes of one word that are looked at: a file may name all of its nodes alike.
const MAX_NODES_PER_WORD: usize = 64;
/// Most bones from the back to the crown.
const MAX_CROWN_BONES: usize = 16;
/// The parts of a name in lower case, without the file or the armature that stands before a colon or a bar.
fn parts(name: &str) -> Vec<String> {
    parts_of_name(name.rsplit([':', '|']).next().unwrap_or(name))
}

fn side_of(part: &str) -> Option<Side> {
    match part {
        "l" | "left" => Some(Side::Left),
        "r" | "right" => Some(Side::Right),
        _ => None,
    }
}

/// Takes a side off the front of a part that is written without a gap: `lthigh`, `leftfoot`.
fn split_side(part: &str) -> Option<(Side, &str)> {
    let sides = [("left", Side::Left), ("right", Side::Right), ("l", Side::Left), ("r", Side::Right)];
    sides.into_iter().find_map(|(prefix, side)| {
        let rest = part.strip_prefix(prefix)?;
        (word_of(rest).is_some() || finger_of(rest).is_some()).then_some((side, rest))
    })
}

fn word_of(text: &str) -> Option<Word> {
    WORDS.iter().find(|(_, spellings)| spellings.contains(&text)).map(|(word, _)| *word)
}

fn finger_of(part: &str) -> Option<Finger> {
    FINGERS.iter().find(|(_, spellings)| spellings.contains(&part)).map(|(finger, _)| *finger)
}

/// The word and the side that a name tells; `None` where it is no name of a bone.
pub(super) fn read(name: &str) -> Option<(Option<Side>, Word)> {
    let (mut side, mut words, mut finger, mut numbers) = (None, String::new(), None, Vec::new());
    let mut is_finger = false;
    for part in parts(name) {
        let mut part = part.as_str();
        if OTHER_WORDS.split(' ').any(|word| word == part) {
            return None;
        }
        if side.is_none() && word_of(part).is_none() {
            side = side_of(part);
            if side.is_some() {
                continue;
            }
            if let Some((found, rest)) = split_side(part) {
                (side, part) = (Some(found), rest);
            }
        }
        if part.starts_with(char::is_numeric) {
            numbers.push(part.to_owned());
        } else if finger_of(part).is_some() {
            finger = finger_of(part);
        } else if part == "finger" {
            is_finger = true;
        } else if !EMPTY_WORDS.split(' ').any(|word| word == part) {
            words.push_str(part);
        }
    }
    // Biped counts fingers from the thumb on: `L Finger0`, `L Finger01`, `L Finger1`.
    if is_finger && finger.is_none() {
        let first = numbers.last().and_then(|number| number.chars().next()?.to_digit(10));
        finger = first.and_then(|i| Finger::ALL.get(i as usize).copied());
    }
    match finger {
        Some(finger) => Some((side, Word::Finger(finger))),
        None => Some((side, word_of(&words)?)),
    }
}

/// The nodes that a word names, by side; those that skin vertices first, then the nearest to the root.
struct NamedNodes<'a> {
    skeleton: &'a Skeleton,
    lists: BTreeMap<(Option<Side>, Word), Vec<NodeId>>,
}

impl<'a> NamedNodes<'a> {
    fn of(model: &'a Model) -> Self {
        let skeleton = &model.skeleton;
        let joints: BTreeSet<NodeId> = model.joints.iter().map(|joint| joint.node).collect();
        let carriers: BTreeSet<NodeId> = model.meshes.iter().map(|mesh| mesh.node).collect();
        let parents: BTreeSet<Option<NodeId>> = skeleton.parents.iter().copied().collect();
        let mut lists: BTreeMap<_, Vec<NodeId>> = BTreeMap::new();
        for (i, name) in skeleton.names.iter().enumerate() {
            let node = NodeId(i as u32);
            // What carries a mesh is a part of the picture that is named after a part of the body.
            if carriers.contains(&node) && !parents.contains(&Some(node)) {
                continue;
            }
            if let Some(key) = read(name) {
                lists.entry(key).or_default().push(node);
            }
        }
        let depths = skeleton.depths();
        for list in lists.values_mut() {
            list.sort_by_key(|node| (!joints.contains(node), depths[node.0 as usize], *node));
            list.truncate(MAX_NODES_PER_WORD);
        }
        Self { skeleton, lists }
    }

    fn all(&self, side: Option<Side>, word: Word) -> &[NodeId] {
        self.lists.get(&(side, word)).map(Vec::as_slice).unwrap_or_default()
    }

    /// The first of a word.
    fn one(&self, side: Option<Side>, word: Word) -> Option<NodeId> {
        self.all(side, word).first().copied()
    }

    /// The first of a word that hangs from a node, else the first anywhere.
    fn below(&self, side: Side, word: Word, top: Option<NodeId>) -> Option<NodeId> {
        let all = self.all(Some(side), word);
        let hangs = |node: &&NodeId| top.is_some_and(|top| self.skeleton.is_below(**node, top));
        all.iter().find(hangs).or(all.first()).copied()
    }
}

/// All bones that names tell.
pub(super) fn find(model: &Model) -> BTreeMap<HumanBone, NodeId> {
    let named = NamedNodes::of(model);
    let mut out = BTreeMap::new();
    for side in Side::BOTH {
        legs(&named, side, &mut out);
        arms(&named, side, &mut out);
        fingers(&named, side, &mut out);
    }
    let head = named.one(None, Word::Head);
    let neck = named.one(None, Word::Neck);
    let thighs = Side::BOTH.map(|side| out.get(&HumanBone::Limb(side, Limb::UpperLeg)).copied());
    let hips = named.one(None, Word::Hips).or_else(|| named.one(None, Word::Hip));
    let hips = hips.or_else(|| common(&model.skeleton, thighs[0]?, thighs[1]?));
    let found = [(HumanBone::Hips, hips), (HumanBone::Neck, neck), (HumanBone::Head, head)];
    out.extend(found.into_iter().filter_map(|(bone, node)| Some((bone, node?))));
    if let Some(hips) = hips {
        back(&named, hips, &mut out);
    }
    out
}

fn legs(named: &NamedNodes<'_>, side: Side, out: &mut BTreeMap<HumanBone, NodeId>) {
    let one = |word| named.one(Some(side), word);
    let (clear_upper, clear_lower) = (one(Word::UpperLeg), one(Word::LowerLeg));
    let upper = clear_upper.or_else(|| clear_lower.and_then(|_| one(Word::Leg))).or_else(|| one(Word::Hip));
    let lower = clear_lower.or_else(|| one(Word::Leg).filter(|leg| Some(*leg) != upper));
    let foot = named.below(side, Word::Foot, lower);
    let second = foot.and_then(|foot| {
        let all = named.all(Some(side), Word::Foot).iter();
        all.copied().find(|&other| other != foot && named.skeleton.is_below(other, foot))
    });
    let toes = named.below(side, Word::Toes, foot).or(second);
    let found = [(Limb::UpperLeg, upper), (Limb::LowerLeg, lower), (Limb::Foot, foot), (Limb::Toes, toes)];
    out.extend(found.into_iter().filter_map(|(limb, node)| Some((HumanBone::Limb(side, limb), node?))));
}

fn arms(named: &NamedNodes<'_>, side: Side, out: &mut BTreeMap<HumanBone, NodeId>) {
    let one = |word| named.one(Some(side), word);
    let upper = one(Word::UpperArm).or_else(|| one(Word::Arm)).or_else(|| one(Word::Shoulder));
    let shoulder = one(Word::Collar).or_else(|| one(Word::Shoulder).filter(|node| Some(*node) != upper));
    let lower = named.below(side, Word::LowerArm, upper);
    let hand = named.below(side, Word::Hand, lower);
    let found = [(Limb::Shoulder, shoulder), (Limb::UpperArm, upper), (Limb::LowerArm, lower), (Limb::Hand, hand)];
    out.extend(found.into_iter().filter_map(|(limb, node)| Some((HumanBone::Limb(side, limb), node?))));
}

fn fingers(named: &NamedNodes<'_>, side: Side, out: &mut BTreeMap<HumanBone, NodeId>) {
    let Some(&hand) = out.get(&HumanBone::Limb(side, Limb::Hand)) else { return };
    for finger in Finger::ALL {
        let all = named.all(Some(side), Word::Finger(finger)).iter().copied();
        // Nearest to the hand first; a bone within the palm, before three others, is none of the finger's.
        let mut chain: Vec<NodeId> = all.filter(|&node| named.skeleton.is_below(node, hand)).collect();
        chain.sort_by_key(|node| named.skeleton.ancestors(*node).count());
        let is_in_palm = chain.first().is_some_and(|first| named.skeleton.names[first.0 as usize].ends_with('0'));
        let chain = chain.into_iter().skip(usize::from(is_in_palm));
        out.extend(Phalanx::ALL.into_iter().zip(chain).map(|(p, node)| (HumanBone::Finger(side, finger, p), node)));
    }
}

/// The bones of the back: what lies between hips and neck, head or arms, whatever it is called.
fn back(named: &NamedNodes<'_>, hips: NodeId, out: &mut BTreeMap<HumanBone, NodeId>) {
    let skeleton = named.skeleton;
    let arms = Side::BOTH.map(|side| {
        let bones = [Limb::Shoulder, Limb::UpperArm].map(|limb| HumanBone::Limb(side, limb));
        bones.iter().find_map(|bone| out.get(bone)).copied()
    });
    let above_arms = arms[0].zip(arms[1]).and_then(|(left, right)| common(skeleton, left, right));
    let end = out.get(&HumanBone::Neck).or(out.get(&HumanBone::Head)).copied();
    if let (None, Some(top), [Some(left), Some(right)]) = (end, above_arms, arms) {
        out.extend(crown(skeleton, top, [left, right]).into_iter().flatten());
    }
    let Some(above) = end.and_then(|end| skeleton.parents[end.0 as usize]).or(above_arms) else { return };
    let Some(start) = common(skeleton, hips, above) else { return };
    let is_back = |node: &NodeId| *node != start && *node != hips && !is_other(&skeleton.names[node.0 as usize]);
    let mut chain: Vec<NodeId> = skeleton.ancestors(above).take_while(|node| *node != start).filter(is_back).collect();
    chain.reverse();
    let (first, last) = (chain.first().copied(), chain.last().copied());
    let found = match chain.len() {
        0 => return,
        1 => vec![(HumanBone::Spine, first)],
        2 => vec![(HumanBone::Spine, first), (HumanBone::Chest, last)],
        n => vec![(HumanBone::Spine, first), (HumanBone::Chest, Some(chain[n / 2])), (HumanBone::UpperChest, last)],
    };
    out.extend(found.into_iter().filter_map(|(bone, node)| Some((bone, node?))));
}

/// Neck and head where no name tells them: the bones above the arms, from the child of the back that reaches highest.
fn crown(skeleton: &Skeleton, top: NodeId, arms: [NodeId; 2]) -> Option<Vec<(HumanBone, NodeId)>> {
    let around_arms: BTreeSet<NodeId> = arms.into_iter().flat_map(|arm| skeleton.ancestors(arm)).collect();
    let places: Vec<f32> = skeleton.rest_model_from_node().iter().map(|m| m.w_axis.y).collect();
    let height = |node: &NodeId| places[node.0 as usize];
    let highest_child = |parent: NodeId| {
        let all =
            (0..skeleton.len() as u32).map(NodeId).filter(|node| skeleton.parents[node.0 as usize] == Some(parent));
        let free = all.filter(|node| !around_arms.contains(node));
        let free = free.filter(|node| !is_other(&skeleton.names[node.0 as usize]));
        free.max_by(|a, b| height(a).total_cmp(&height(b)))
    };
    let mut chain: Vec<NodeId> =
        std::iter::successors(highest_child(top), |node| highest_child(*node)).take(MAX_CROWN_BONES).collect();
    // Numbered bones are the neck and the head; what grows from them is hair, whatever it is called.
    let numbered = chain.windows(2).take_while(|pair| stem(skeleton, pair[0]) == stem(skeleton, pair[1])).count();
    if numbered > 0 {
        chain.truncate(numbered + 1);
    }
    match chain[..] {
        [] => None,
        [head] => Some(vec![(HumanBone::Head, head)]),
        [neck, .., head] => Some(vec![(HumanBone::Neck, neck), (HumanBone::Head, head)]),
    }
}

/// The name of a node without its number.
fn stem(skeleton: &Skeleton, node: NodeId) -> &str {
    skeleton.names[node.0 as usize].trim_end_matches(|c: char| !c.is_alphabetic())
}

fn is_other(name: &str) -> bool {
    parts(name).iter().any(|part| OTHER_WORDS.split(' ').any(|word| word == part.as_str()))
}

/// The lowest node that two hang from.
fn common(skeleton: &Skeleton, a: NodeId, b: NodeId) -> Option<NodeId> {
    let above_b: BTreeSet<NodeId> = skeleton.ancestors(b).collect();
    skeleton.ancestors(a).find(|node| above_b.contains(node))
}
