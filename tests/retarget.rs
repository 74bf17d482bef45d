//! Clips of one body played by another: bodies of other sizes, names, axes, units and node trees move as the first.

#![allow(clippy::unwrap_used, reason = "a test that cannot load a person has to fail")]

#[path = "common/own_models.rs"]
mod own_models;

use glam::{Mat4, Quat, Vec3};
use own_models::matrices;
use std::path::Path;
use walkabout::anim::clip_classification::classify_clips;
use walkabout::asset::human_bone::{HumanBone, Limb, Side};
use walkabout::asset::humanoid::Humanoid;
use walkabout::asset::retarget::{Travel, add_clips};
use walkabout::asset::{AssetError, BoneNames, Clip, ClipSource, ClipSources, Model};
use walkabout::ids::NodeId;
use walkabout::math::Trs;

fn person(name: &str) -> Model {
    own_models::load(&format!("people/{name}"))
}

fn without_clips(model: Model) -> Model {
    Model { clips: Vec::new(), ..model }
}

fn body(model: &Model) -> Humanoid {
    Humanoid::of(model, &BoneNames::new()).unwrap()
}

/// A model with the clips of another.
fn retargeted(mut model: Model, from: &Model) -> Model {
    let (own, other) = (body(&model), body(from));
    assert_eq!(add_clips(&mut model, &own, from, &other, Travel::OnTheSpot), Ok(from.clips.len()));
    model
}

/// Places of all nodes at a time of a clip.
fn places(model: &Model, clip: &Clip, time_secs: f32) -> Vec<Vec3> {
    matrices(model, clip, time_secs).iter().map(|m| m.w_axis.truncate()).collect()
}

/// Bones whose directions all bodies share: from one place to the next.
fn limbs() -> impl Iterator<Item = (HumanBone, HumanBone)> {
    let pairs = [
        (Limb::UpperArm, Limb::LowerArm),
        (Limb::LowerArm, Limb::Hand),
        (Limb::UpperLeg, Limb::LowerLeg),
        (Limb::LowerLeg, Limb::Foot),
    ];
    Side::BOTH
        .into_iter()
        .flat_map(move |side| pairs.map(|(from, to)| (HumanBone::Limb(side, from), HumanBone::Limb(side, to))))
}

/// Greatest angle between limbs of two bodies that play the same clips, of those that the second has, radians. `axes`
/// turns the second's space into the first's.
fn greatest_angle(a: &Model, b: &Model, axes: Quat) -> f32 {
    let (of_a, of_b) = (body(a), body(b));
    let mut greatest = 0.0_f32;
    for clip in &a.clips {
        let other = b.clips.iter().rfind(|other| other.name == clip.name).unwrap();
        for i in 0..10 {
            // At a key of the retargeted clip.
            let time = (clip.duration_secs * i as f32 / 10.0 * 30.0).round() / 30.0;
            let time = time * other.duration_secs / clip.duration_secs;
            let (at_a, at_b) = (places(a, clip, time), places(b, other, time));
            for (from, to) in limbs().filter(|(from, to)| of_b.node(*from).is_some() && of_b.node(*to).is_some()) {
                let direction = |body: &Humanoid, at: &[Vec3]| {
                    let place = |bone| at[body.node(bone).unwrap().0 as usize];
                    (place(to) - place(from)).normalize()
                };
                let angle = direction(&of_a, &at_a).angle_between(axes * direction(&of_b, &at_b));
                greatest = greatest.max(angle);
            }
        }
    }
    greatest
}

#[test]
fn a_body_that_plays_its_own_clips_moves_as_before() {
    let ada = person("ada.glb");
    let again = retargeted(without_clips(ada.clone()), &ada);
    let mut greatest = 0.0_f32;
    for (clip, other) in ada.clips.iter().zip(&again.clips) {
        assert_eq!((&clip.name, clip.duration_secs), (&other.name, other.duration_secs));
        for i in 0..=20 {
            let time = clip.duration_secs * i as f32 / 20.0;
            let pairs = places(&ada, clip, time).into_iter().zip(places(&again, other, time));
            greatest = pairs.map(|(a, b)| a.distance(b)).fold(greatest, f32::max);
        }
    }
    // Keys lie 1/30 s apart, and in between joints move on arcs.
    assert!(greatest < 0.01, "{greatest} m");
}

#[test]
fn other_people_point_their_limbs_the_same_way() {
    let ada = person("ada.glb");
    for name in ["bruno.glb", "carla.glb"] {
        let other = retargeted(without_clips(person(name)), &ada);
        let angle = greatest_angle(&ada, &other, Quat::IDENTITY);
        assert!(angle < 0.03, "{name}: {} degrees", angle.to_degrees());
        let [own, lent] = [&ada, &other].map(classify_clips);
        assert_eq!(own.actions, lent.actions);
        let speeds = [own.walk_speed.unwrap(), lent.walk_speed.unwrap()];
        assert!((speeds[1] / speeds[0] - 1.0).abs() < 0.1, "{name}: {speeds:?} m/s");
    }
}

/// The same body with other names and other axes of its bones, twice as large, in centimetres, turned about.
fn stranger(mut model: Model) -> Model {
    let skeleton = &mut model.skeleton;
    for (i, name) in skeleton.names.iter_mut().enumerate() {
        let side = ["_l", "_r"].into_iter().find(|end| name.ends_with(end));
        let side = side.map_or("", |end| if end == "_l" { "Left" } else { "Right" });
        let word = name.trim_end_matches("_l").trim_end_matches("_r");
        let renamed = match word {
            "upper_leg" => "UpLeg",
            "lower_leg" => "Leg",
            "upper_arm" => "Arm",
            "lower_arm" => "ForeArm",
            "clavicle" => "Shoulder",
            "toes" => "ToeBase",
            "hips" => "Hips",
            "neck" => "Neck",
            "head" => "Head",
            "hand" => "Hand",
            "foot" => "Foot",
            other => other,
        };
        *name = match word {
            "spine_02" => format!("Bone.{i:03}"),
            _ => format!("mixamorig:{side}{renamed}"),
        };
    }
    // Each bone gets axes of its own: a turn that its children and its vertices take back.
    let turn_of = |i: usize| Quat::from_rotation_x(0.7 * i as f32) * Quat::from_rotation_y(0.4 * i as f32);
    let parents = skeleton.parents.clone();
    for (i, rest) in skeleton.rest.iter_mut().enumerate() {
        let above =
            parents[i].filter(|parent| parent.0 > 0).map_or(Quat::IDENTITY, |parent| turn_of(parent.0 as usize));
        rest.translation = above.inverse() * rest.translation * 100.0;
        let own = if i == 0 { Quat::IDENTITY } else { turn_of(i) };
        rest.rotation = above.inverse() * rest.rotation * own;
    }
    skeleton.rest[0] = Trs { scale: Vec3::splat(0.02), rotation: Quat::from_rotation_y(2.0), ..Trs::IDENTITY };
    for joint in &mut model.joints {
        let own = turn_of(joint.node.0 as usize).inverse();
        let (_, turn, shift) = joint.node_from_mesh.to_scale_rotation_translation();
        joint.node_from_mesh = Mat4::from_scale_rotation_translation(Vec3::ONE, own * turn, own * shift * 100.0);
    }
    model
}

#[test]
fn a_stranger_with_other_names_and_axes_moves_the_same_way() {
    let ada = person("ada.glb");
    let other = retargeted(stranger(without_clips(ada.clone())), &ada);
    // Clips turn it to walk ahead, whichever way its model looks.
    let angle = greatest_angle(&ada, &other, Quat::IDENTITY);
    assert!(angle < 0.01, "{} degrees", angle.to_degrees());
    let speeds = [&ada, &other].map(|model| classify_clips(model).walk_speed.unwrap());
    assert!((speeds[1] / speeds[0] - 2.0).abs() < 0.05, "{speeds:?} m/s");
}

/// How a maker calls the bones of a body: those of the middle from the hips up, and those of a side, where `*` is the side's name.
/// Those without a name are called as no bone is.
struct Naming {
    maker: &'static str,
    sides: [&'static str; 2],
    middle: [&'static str; 6],
    side: [&'static str; 8],
}

/// Our own names of the same bones.
const OWN: Naming = Naming {
    maker: "Walkabout",
    sides: ["l", "r"],
    middle: ["hips", "spine_01", "spine_02", "spine_03", "neck", "head"],
    side: ["clavicle_*", "upper_arm_*", "lower_arm_*", "hand_*", "upper_leg_*", "lower_leg_*", "foot_*", "toes_*"],
};

const MAKERS: [Naming; 8] = [
    Naming {
        maker: "Mixamo",
        sides: ["mixamorig:Left", "mixamorig:Right"],
        middle: [
            "mixamorig:Hips",
            "mixamorig:Spine",
            "mixamorig:Spine1",
            "mixamorig:Spine2",
            "mixamorig:Neck",
            "mixamorig:Head",
        ],
        side: ["*Shoulder", "*Arm", "*ForeArm", "*Hand", "*UpLeg", "*Leg", "*Foot", "*ToeBase"],
    },
    Naming {
        maker: "Ready Player Me",
        sides: ["Left", "Right"],
        middle: ["Hips", "Spine", "Spine1", "Spine2", "Neck", "Head"],
        side: ["*Shoulder", "*Arm", "*ForeArm", "*Hand", "*UpLeg", "*Leg", "*Foot", "*ToeBase"],
    },
    Naming {
        maker: "KayKit",
        sides: ["l", "r"],
        middle: ["hips", "spine", "", "chest", "", "head"],
        side: ["", "upperarm.*", "lowerarm.*", "wrist.*", "upperleg.*", "lowerleg.*", "foot.*", "toes.*"],
    },
    Naming {
        maker: "Quaternius",
        sides: ["L", "R"],
        middle: ["Hips", "Abdomen", "Torso", "Chest", "Neck", "Head"],
        side: ["Shoulder.*", "UpperArm.*", "LowerArm.*", "Palm.*", "UpperLeg.*", "LowerLeg.*", "Foot.*", ""],
    },
    Naming {
        maker: "VRoid",
        sides: ["L", "R"],
        middle: [
            "J_Bip_C_Hips",
            "J_Bip_C_Spine",
            "J_Bip_C_Chest",
            "J_Bip_C_UpperChest",
            "J_Bip_C_Neck",
            "J_Bip_C_Head",
        ],
        side: [
            "J_Bip_*_Shoulder",
            "J_Bip_*_UpperArm",
            "J_Bip_*_LowerArm",
            "J_Bip_*_Hand",
            "J_Bip_*_UpperLeg",
            "J_Bip_*_LowerLeg",
            "J_Bip_*_Foot",
            "J_Bip_*_ToeBase",
        ],
    },
    Naming {
        maker: "GDQuest by Rigify",
        sides: ["L", "R"],
        middle: ["DEF-spine", "DEF-spine.001", "DEF-spine.002", "DEF-spine.003", "DEF-spine.004", "DEF-spine.006"],
        side: [
            "DEF-shoulder.*",
            "DEF-upper_arm.*",
            "DEF-forearm.*",
            "DEF-hand.*",
            "DEF-thigh.*",
            "DEF-shin.*",
            "DEF-foot.*",
            "DEF-toe.*",
        ],
    },
    Naming {
        maker: "GDQuest by Unreal's names",
        sides: ["l", "r"],
        middle: ["pelvis", "spine_01", "spine_02", "spine_03", "neck_01", "head"],
        side: ["clavicle.*", "upperarm.*", "lowerarm.*", "hand.*", "thigh.*", "calf.*", "foot.*", "ball.*"],
    },
    Naming {
        maker: "Godot's demos",
        sides: ["l", "r"],
        middle: ["hip", "waist", "", "chest", "neck", "HEAD"],
        side: ["", "*-arm", "*-forearm", "", "*-thigh", "*-leg", "*-foot", ""],
    },
];

impl Naming {
    fn names(&self) -> impl Iterator<Item = String> {
        let sided = self.sides.iter().flat_map(|side| self.side.iter().map(|name| name.replace('*', side)));
        self.middle.iter().map(|name| (*name).to_owned()).chain(sided)
    }
}

#[test]
fn bodies_named_by_many_makers_move_the_same_way() {
    let ada = person("ada.glb");
    let own = body(&ada);
    for naming in &MAKERS {
        let mut other = without_clips(ada.clone());
        let names = &mut other.skeleton.names;
        for (from, to) in OWN.names().zip(naming.names()) {
            let node = ada.skeleton.names.iter().position(|name| *name == from).unwrap();
            names[node] = if to.is_empty() { format!("Bone.{node}") } else { to };
        }
        // Hair that rises from the head, under names that tell nothing.
        let head = own.node(HumanBone::Head).unwrap();
        for (name, parent) in [("DEF-bang.001", head), ("DEF-bang.002", NodeId(names.len() as u32))] {
            other.skeleton.names.push(name.to_owned());
            other.skeleton.parents.push(Some(parent));
            other.skeleton.rest.push(Trs { translation: Vec3::Y * 0.2, ..Trs::IDENTITY });
        }
        let found = body(&other);
        for bone in HumanBone::all().filter(|bone| !matches!(bone, HumanBone::Finger(..))) {
            let Some(node) = own.node(bone) else { continue };
            let is_named = !other.skeleton.names[node.0 as usize].starts_with("Bone.");
            let is_back = matches!(bone, HumanBone::Spine | HumanBone::Chest | HumanBone::UpperChest);
            assert!(!is_named || is_back || found.node(bone) == Some(node), "{}: {bone}", naming.maker);
        }
        let other = retargeted(other, &ada);
        let angle = greatest_angle(&ada, &other, Quat::IDENTITY);
        assert!(angle < 0.01, "{}: {} degrees", naming.maker, angle.to_degrees());
    }
}

#[test]
fn feet_that_hang_from_the_root_go_with_their_legs() {
    let ada = person("ada.glb");
    let mut other = without_clips(ada.clone());
    let rest = other.skeleton.rest_model_from_node();
    let of = body(&other);
    for side in Side::BOTH {
        let foot = of.node(HumanBone::Limb(side, Limb::Foot)).unwrap().0 as usize;
        other.skeleton.parents[foot] = Some(NodeId(0));
        other.skeleton.rest[foot] = Trs::from_mat4(&(rest[0].inverse() * rest[foot]));
    }
    let other = retargeted(other, &ada);
    let angle = greatest_angle(&ada, &other, Quat::IDENTITY);
    assert!(angle < 0.01, "{} degrees", angle.to_degrees());
}

#[test]
fn legs_apart_in_the_pose_of_reference_stand_as_high() {
    let ada = person("ada.glb");
    // As in many files of motion capture: a skeleton alone, whose legs are apart where it rests.
    let mut apart = Model { meshes: Vec::new(), joints: Vec::new(), ..ada.clone() };
    for (side, angle) in [(Side::Left, 0.35), (Side::Right, -0.35)] {
        let thigh = body(&ada).node(HumanBone::Limb(side, Limb::UpperLeg)).unwrap().0 as usize;
        let rest = &mut apart.skeleton.rest[thigh];
        rest.rotation = Quat::from_rotation_z(angle) * rest.rotation;
    }
    let foot = body(&ada).node(HumanBone::Limb(Side::Left, Limb::Foot)).unwrap().0 as usize;
    let [high, low] = [&apart, &ada].map(|model| model.skeleton.rest_model_from_node()[foot].w_axis.y);
    let hips = body(&ada).node(HumanBone::Hips).unwrap().0 as usize;
    apart.skeleton.rest[hips].translation.y -= high - low;
    let again = retargeted(without_clips(ada.clone()), &apart);
    let walk = |model: &Model| model.clips.iter().find(|clip| clip.name == "Walk").unwrap().clone();
    let (own, lent) = (walk(&ada), walk(&again));
    for foot in Side::BOTH.map(|side| body(&ada).node(HumanBone::Limb(side, Limb::Foot)).unwrap().0 as usize) {
        for i in 0..=30 {
            let [a, b] =
                [(&ada, &own), (&again, &lent)].map(|(model, clip)| places(model, clip, i as f32 / 30.0)[foot]);
            assert!(a.distance(b) < 0.015, "{} s: ankle at {b} instead of {a}", i as f32 / 30.0);
        }
    }
}

#[test]
fn feet_without_toes_stay_above_the_ground() {
    let ada = person("ada.glb");
    let node = |limb, side| body(&ada).node(HumanBone::Limb(side, limb)).unwrap();
    let mut stiff = without_clips(ada.clone());
    Side::BOTH.iter().for_each(|&side| stiff.skeleton.names[node(Limb::Toes, side).0 as usize] = "shoe".into());
    let rest = stiff.skeleton.rest_model_from_node();
    let stiff = retargeted(stiff, &ada);
    let walk = stiff.clips.iter().find(|clip| clip.name == "Walk").unwrap();
    for foot in Side::BOTH.map(|side| node(Limb::Foot, side)) {
        let [_, ball] = stiff.sole(foot, &rest, Vec3::Y, 0.9);
        let ground = rest[foot.0 as usize].transform_point3(ball).y;
        for i in 0..=30 {
            let at = matrices(&stiff, walk, walk.duration_secs * i as f32 / 30.0);
            let height = at[foot.0 as usize].transform_point3(ball).y - ground;
            assert!(height > -0.002, "ball {height} m");
        }
    }
}

#[test]
fn what_stands_in_the_way_is_a_warning_of_the_model() {
    let ada = person("ada.glb");
    let sources = |file: &str| ClipSources {
        files: vec![ClipSource { file: file.to_owned(), bones: BoneNames::new() }],
        ..ClipSources::default()
    };
    let load = |file: &Path| match file.to_str() {
        Some("ada.glb") => Ok(ada.clone()),
        Some("still.glb") => Ok(without_clips(ada.clone())),
        Some("box.glb") => Ok(Model::default()),
        _ => Err(AssetError::Unreadable { path: file.into(), reason: "not there".into() }),
    };
    let tried = |file: &str, model: Model| {
        let mut model = without_clips(model);
        sources(file).add_to(&mut model, load);
        (model.clips.len(), model.warnings.join("\n"))
    };
    assert_eq!(tried("ada.glb", ada.clone()), (ada.clips.len(), String::new()));
    for (file, said) in [("still.glb", "none that move"), ("box.glb", "no human body"), ("gone.glb", "not there")] {
        let (clips, warning) = tried(file, ada.clone());
        assert!(clips == 0 && warning.contains(said) && ClipSources::is_warning(&warning), "{file}: {warning}");
    }
    let (clips, warning) = tried("ada.glb", Model::default());
    assert!(clips == 0 && warning.contains("no human body"), "{warning}");
}

#[test]
fn bones_named_by_hand_take_the_place_of_those_that_names_tell() {
    let mut model = without_clips(person("ada.glb"));
    let of = body(&model);
    let foot = HumanBone::Limb(Side::Left, Limb::Foot);
    let node = of.node(foot).unwrap().0 as usize;
    model.skeleton.names[node] = "Sabot".into();
    assert_eq!(Humanoid::of(&model, &BoneNames::new()), None);
    let named = BoneNames::from([(foot, "Sabot".to_owned())]);
    assert_eq!(Humanoid::of(&model, &named), Some(of.clone()));
    // An empty name takes a bone away.
    let without = BoneNames::from([(foot, "Sabot".to_owned()), (HumanBone::Neck, String::new())]);
    let bones = Humanoid::of(&model, &without).unwrap();
    assert_eq!((bones.node(HumanBone::Neck), bones.len()), (None, of.len() - 1));
}
