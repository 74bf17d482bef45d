//! The command palette.

use super::*;
use walkabout::render::quality::Quality;

#[test]
fn the_palette_finds_commands_overlays_and_tools() {
    let (_folder, mut window) = two_markers();
    let type_in = |window: &mut Window, text: &str| {
        press(window, Modifiers::COMMAND, Key::P);
        window.event(egui::Event::Text(text.into()));
        window.run_steps(2);
    };
    type_in(&mut window, "skel");
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(window.state().app.shows_overlay(Layer::Skeleton));
    click(&mut window, "marker 1");
    type_in(&mut window, "edit dup");
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert_eq!(window.state().app.scene().instances.len(), 3);
    type_in(&mut window, "zzz");
    assert!(window.query_by_label_contains("Nothing has such a name").is_some());
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert!(window.query_by_label_contains("Nothing has such a name").is_none());
    assert!(window.state().app.selection().instance.is_some(), "Escape closes the palette and does no more");
    type_in(&mut window, "zzz");
    click(&mut window, "marker 2");
    assert!(window.query_by_label_contains("Nothing has such a name").is_none(), "a click beside it closes it");
    type_in(&mut window, "camera new");
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert_eq!(window.state().app.scene().cameras.len(), 2);
    type_in(&mut window, "light th");
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert_eq!(window.ctx.theme(), egui::Theme::Light);
    type_in(&mut window, "quality high");
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert_eq!(window.state().app.quality(), Some(Quality::High));
    type_in(&mut window, "quality auto");
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert_eq!(window.state().app.quality(), None);
    // By words that stand nowhere in its name.
    for (typed, shown) in [("top", "View: From above"), ("night", "Light: Midnight"), ("day", "Light: Noon")] {
        type_in(&mut window, typed);
        assert!(window.query_all_by_label_contains(shown).count() > 0, "{typed}");
        press(&mut window, Modifiers::NONE, Key::Escape);
    }
    type_in(&mut window, "fps");
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(window.query_all_by_label("Most").count() == 2, "the tables of times");
    press(&mut window, Modifiers::NONE, Key::F9);
    // By what it does, where no name fits.
    type_in(&mut window, "png");
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(window.query_all_by_label_contains("Export").count() > 0);
    press(&mut window, Modifiers::NONE, Key::Escape);
    type_in(&mut window, "tool obst");
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert!(window.query_by_label_contains("place an obstacle").is_some());
}
