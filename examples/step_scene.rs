//! Loads a scene and lets its characters walk for ten seconds, without a window and without a GPU.

use std::error::Error;
use walkabout::scene::file;
use walkabout::sim::{NavStatus, STEP_SECS, World};

fn main() -> Result<(), Box<dyn Error>> {
    // What is written: a scene names its levels and models by files relative to its root, the folder above `config/`.
    let loaded = file::load("config/plaza.acfg".as_ref())?;
    let scene = loaded.scene;
    let assets = scene.load_assets(loaded.root);

    // What happens: the world is derived from the scene. Reconcile it again whenever the scene has changed.
    let mut world = World::default();
    world.reconcile(&scene, &assets);
    println!("{} characters on {} triangles of level", world.len(), world.triangles().len());

    // Steps have a fixed length, so that the same scene and seed always end in the same state, on any machine.
    let steps = (10.0 / STEP_SECS).round() as u32;
    let start: Vec<_> = world.iter().map(|(_, instance)| instance.now.position).collect();
    for _ in 0..steps {
        world.step(&scene);
        let secs = world.secs();
        for event in world.drain_events() {
            println!("{secs:5.2} s  {}", event.kind.name());
        }
    }

    for ((id, instance), start) in world.iter().zip(start) {
        let moved = instance.now.position.distance(start);
        match &instance.nav {
            NavStatus::Off => {}
            NavStatus::Failed(reason) => println!("{id:?} has no path: {reason}"),
            status => println!("{id:?} is {status:?}, {moved:.1} m from its start"),
        }
    }
    println!("state hash after {} steps: {:016x}", world.steps(), world.hash());
    Ok(())
}
