//! Names of nodes and of bones.

use super::names::{Word, read};
use crate::asset::human_bone::{Finger, HumanBone, Side, UnknownBone};

#[test]
fn names_of_many_programs_are_read() {
    use Side::{Left, Right};
    let cases = [
        ("mixamorig:LeftUpLeg", Some(Left), Word::UpperLeg),
        ("LeftToeBase", Some(Left), Word::Toes),
        ("Bip01 R Calf", Some(Right), Word::LowerLeg),
        ("ValveBiped.Bip01_L_UpperArm", Some(Left), Word::UpperArm),
        ("J_Bip_R_LowerArm", Some(Right), Word::LowerArm),
        ("clavicle_l", Some(Left), Word::Collar),
        ("upperarm.r", Some(Right), Word::UpperArm),
        ("Fist.L", Some(Left), Word::Hand),
        ("DEF-shin.L", Some(Left), Word::LowerLeg),
        ("lShldrBend", Some(Left), Word::UpperArm),
        ("rThigh", Some(Right), Word::UpperLeg),
        ("L_Ankle", Some(Left), Word::Foot),
        ("CC_Base_L_Hand", Some(Left), Word::Hand),
        ("LHipJoint", Some(Left), Word::Hip),
        ("leftfoot", Some(Left), Word::Foot),
        ("LeftHandPinky2", Some(Left), Word::Finger(Finger::Little)),
        ("Bip01 L Finger0", Some(Left), Word::Finger(Finger::Thumb)),
        ("index_01_r", Some(Right), Word::Finger(Finger::Index)),
        ("Armature|Hips", None, Word::Hips),
        ("head", None, Word::Head),
    ];
    for (name, side, word) in cases {
        assert_eq!(read(name), Some((side, word)), "{name}");
    }
    for name in [
        "LeftArmTwist",
        "kneeIK.l",
        "HeadTop_End",
        "PoleTarget.R",
        "handslot.l",
        "Root",
        "Ear1.L",
        "control-foot-roll.l",
    ] {
        assert_eq!(read(name), None, "{name}");
    }
}

#[test]
fn every_bone_has_a_name_that_reads_back() {
    let all: Vec<HumanBone> = HumanBone::all().collect();
    assert_eq!(all.len(), 52);
    for bone in &all {
        assert_eq!(bone.to_string().parse(), Ok(*bone));
        assert!(bone.parent().is_none_or(|parent| parent < *bone), "{bone}");
    }
    assert_eq!("tail".parse::<HumanBone>(), Err(UnknownBone));
}
