//! Shader scripts of Quake III (`scripts/*.shader`): what is drawn on surfaces whose texture is the name of a script, and what else holds
//! for them. Words and their meaning are those of the game's published manual, "Quake III Arena Shader Manual", revision 12.

use super::fault::QuakeMapFault;
use super::package::Package;
use super::surface::{HINT, MapTexture, NO_DRAW, NON_SOLID, SKIP, SKY};
use std::collections::{BTreeMap, BTreeSet};

/// Bytes of all scripts that are read.
const MAX_SCRIPT_BYTES: u64 = 16 << 20;
/// Endings of pictures that scripts name.
const PICTURE_ENDINGS: [&str; 6] = ["tga", "jpg", "jpeg", "png", "webp", "dds"];
/// Alpha from which on `alphaFunc GT0` draws: a texel's least.
const ANY_ALPHA: f32 = 1.0 / 255.0;
const HALF_ALPHA: f32 = 0.5;

/// How a surface covers what lies behind it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) enum ShaderBlend {
    /// Wholly, whatever the alpha of its picture.
    #[default]
    Opaque,
    /// Where the alpha of its picture is no less.
    Mask(f32),
    /// As far as the alpha of its picture.
    Alpha,
    /// It adds its light to that behind it.
    Add,
    /// It lets through as much light as its picture is bright.
    Filter,
    /// It takes away as much light as its picture is bright.
    Darken,
}

/// What a script says of the surfaces with its name.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct MapShader {
    /// Names of its pictures without endings, the best first.
    pub pictures: Vec<String>,
    /// Flags of surfaces, as maps have them.
    pub flags: u32,
    pub blend: ShaderBlend,
    /// Whether it is drawn from behind, too.
    pub is_double_sided: bool,
}

/// One of the pictures that are drawn over each other.
#[derive(Clone, Debug, Default)]
struct ShaderStage {
    picture: Option<String>,
    /// Whether it shows what a mirror would.
    is_environment: bool,
    mask: Option<f32>,
    blend: ShaderBlend,
}

/// A script of one name that is being read.
#[derive(Clone, Debug, Default)]
struct ScriptedSurface {
    shader: MapShader,
    stages: Vec<ShaderStage>,
    editor_picture: Option<String>,
    /// Whether it draws by other words than stages, as successors of the game do.
    has_other_stages: bool,
}

/// The scripts of a package by the names of textures that a map has.
#[derive(Debug, Default)]
pub(super) struct MapShaders {
    shaders: BTreeMap<String, MapShader>,
    /// Why scripts are left out.
    faults: Vec<QuakeMapFault>,
}

impl MapShaders {
    /// Reads those that have one of these names, of several with one name the first.
    pub(super) fn of(package: &Package, names: &BTreeSet<&str>) -> Self {
        let wanted: BTreeSet<&str> = names.iter().map(|name| without_ending(name)).collect();
        let mut out = Self::default();
        let mut left = MAX_SCRIPT_BYTES;
        let files = package.names().filter(|name| name.starts_with("scripts/") && name.ends_with(".shader"));
        for file in files {
            match package.file(file, left) {
                Some(Ok(bytes)) => {
                    left = left.saturating_sub(bytes.len() as u64);
                    read_script(&String::from_utf8_lossy(&bytes), &wanted, &mut out.shaders);
                }
                Some(Err(fault)) => out.faults.push(fault),
                None => {}
            }
        }
        out
    }

    /// That of a texture.
    pub(super) fn get(&self, name: &str) -> Option<&MapShader> {
        self.shaders.get(without_ending(name))
    }

    /// What map and script together say of a texture.
    pub(super) fn complete(&self, texture: &MapTexture) -> MapTexture {
        let scripted = self.get(&texture.name).map_or(0, |shader| shader.flags);
        MapTexture { flags: texture.flags | scripted, ..texture.clone() }
    }

    /// What is said of scripts that are left out.
    pub(super) fn left_out(&self) -> Option<String> {
        let (first, others) = self.faults.split_first()?;
        let more = if others.is_empty() { String::new() } else { format!(", and {} more", others.len()) };
        Some(format!("a shader script is left out{more}: {first}"))
    }
}

/// A name of a texture without the ending of a picture.
pub(super) fn without_ending(name: &str) -> &str {
    name.rsplit_once('.').filter(|(_, ending)| PICTURE_ENDINGS.contains(ending)).map_or(name, |(name, _)| name)
}

/// The name of a picture as packages have it; `None` of what the game makes itself, such as `$lightmap`.
fn picture_name(word: &str) -> Option<String> {
    let name = word.trim_matches('"').replace('\\', "/");
    let is_file = !name.is_empty() && !name.starts_with(['$', '*', '-']);
    is_file.then(|| without_ending(&name).to_owned())
}

/// Appends the scripts of a text that have one of these names, unless they are known.
fn read_script(text: &str, wanted: &BTreeSet<&str>, shaders: &mut BTreeMap<String, MapShader>) {
    let text = without_comments(text).to_lowercase();
    let (mut name, mut depth) = (String::new(), 0_usize);
    let (mut surface, mut stage) = (ScriptedSurface::default(), ShaderStage::default());
    for line in text.lines() {
        for piece in line.split_inclusive(['{', '}']) {
            let directive = piece.trim_end_matches(['{', '}']);
            let words: Vec<&str> = directive.split_whitespace().collect();
            match (depth, words.split_first()) {
                (_, None) => {}
                (0, Some((first, _))) => name = picture_name(first).unwrap_or_default(),
                (1, Some((word, values))) => surface.take(word, values),
                (2, Some((word, values))) => stage.take(word, values),
                _ => {}
            }
            match piece.as_bytes().last() {
                Some(b'{') => {
                    match depth {
                        0 => surface = ScriptedSurface::default(),
                        1 => stage = ShaderStage::default(),
                        _ => {}
                    }
                    depth += 1;
                }
                Some(b'}') => {
                    match depth {
                        2 => surface.stages.push(std::mem::take(&mut stage)),
                        1 if wanted.contains(name.as_str()) && !shaders.contains_key(&name) => {
                            shaders.insert(std::mem::take(&mut name), std::mem::take(&mut surface).finish());
                        }
                        _ => {}
                    }
                    depth = depth.saturating_sub(1);
                }
                _ => {}
            }
        }
    }
}

/// A text without what stands behind `//` and between `/*` and `*/`.
fn without_comments(text: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find('/') {
        let (before, mark) = rest.split_at(at);
        out.push_str(before);
        rest = match mark.as_bytes().get(1) {
            Some(b'/') => mark.find('\n').map_or("", |end| &mark[end..]),
            Some(b'*') => {
                out.push(' ');
                mark[2..].split_once("*/").map_or("", |(_, after)| after)
            }
            _ => {
                out.push('/');
                &mark[1..]
            }
        };
    }
    out.push_str(rest);
    out
}

impl ScriptedSurface {
    /// Takes in a directive that stands beside the stages.
    fn take(&mut self, word: &str, values: &[&str]) {
        let value = values.first().copied().unwrap_or_default();
        let flags = &mut self.shader.flags;
        match word {
            "surfaceparm" => match value {
                "nodraw" => *flags |= NO_DRAW,
                "sky" => *flags |= SKY,
                "hint" => *flags |= HINT,
                "skip" => *flags |= SKIP,
                "nonsolid" | "water" | "slime" | "lava" | "fog" => *flags |= NON_SOLID,
                _ => {}
            },
            "skyparms" => *flags |= SKY,
            "cull" => self.shader.is_double_sided |= matches!(value, "none" | "disable" | "twosided"),
            "qer_editorimage" => self.editor_picture = picture_name(value),
            "diffusemap" => {
                self.stages.push(ShaderStage { picture: picture_name(value), ..ShaderStage::default() });
            }
            _ => self.has_other_stages |= word.starts_with("implicit"),
        }
    }

    /// What is drawn in the end: of several stages over each other the one with the picture of the surface itself.
    fn finish(self) -> MapShader {
        let Self { mut shader, stages, editor_picture, has_other_stages } = self;
        if stages.is_empty() && !has_other_stages {
            // The game draws nothing.
            shader.flags |= NO_DRAW;
        }
        let has_picture = |stage: &&ShaderStage| stage.picture.is_some();
        let own = stages.iter().filter(has_picture).find(|stage| !stage.is_environment);
        let shown = own.or_else(|| stages.iter().find(has_picture));
        // What lies behind is seen where the lowest stage lets it.
        let is_clear = stages.first().is_some_and(|stage| !matches!(stage.blend, ShaderBlend::Opaque));
        shader.blend = match shown {
            Some(ShaderStage { mask: Some(mask), .. }) => ShaderBlend::Mask(*mask),
            Some(stage) if is_clear => stage.blend,
            _ => ShaderBlend::Opaque,
        };
        shader.pictures = shown.and_then(|stage| stage.picture.clone()).into_iter().chain(editor_picture).collect();
        shader
    }
}

impl ShaderStage {
    /// Takes in a directive of the stage.
    fn take(&mut self, word: &str, values: &[&str]) {
        let value = |i: usize| values.get(i).copied().unwrap_or_default();
        match word {
            "map" | "clampmap" => self.picture = picture_name(value(0)),
            // Behind how many a second are shown.
            "animmap" => self.picture = picture_name(value(1)),
            "tcgen" => self.is_environment |= value(0) == "environment",
            "alphafunc" => self.mask = Some(if value(0) == "gt0" { ANY_ALPHA } else { HALF_ALPHA }),
            "blendfunc" => {
                self.blend = match (value(0), value(1)) {
                    ("gl_one", "gl_zero") => ShaderBlend::Opaque,
                    ("add", _) | ("gl_src_alpha" | "gl_dst_color", "gl_one") => ShaderBlend::Add,
                    ("gl_zero", "gl_one_minus_src_color") => ShaderBlend::Darken,
                    ("gl_one", factor) if factor != "gl_one_minus_src_alpha" => ShaderBlend::Add,
                    ("filter" | "gl_dst_color", _) | ("gl_zero", _) => ShaderBlend::Filter,
                    _ => ShaderBlend::Alpha,
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: &str = "
        // glass and more, as textures/*
        textures/Yard/Glass
        {
            qer_editorimage textures/yard/glass_seen.tga
            surfaceparm trans // it lets light through
            cull none
            { map $lightmap }
            /* a mirror
               { */
            { map textures/effects/shine.tga
              tcGen environment }
            {
                map textures\\yard\\pane.tga
                blendFunc GL_SRC_ALPHA GL_ONE_MINUS_SRC_ALPHA
            }
        }
        textures/yard/flame {
            surfaceparm nonsolid
            { animMap 8 textures/yard/f1.jpg textures/yard/f2.jpg
              blendFunc add }
        }
        textures/yard/fence.tga { { clampmap textures/yard/wire.png
            alphaFunc GE128
            depthWrite } { map $lightmap
            blendFunc filter } }
        textures/yard/fog { surfaceparm fog
            fogparms ( 1 1 1 ) 200 }
        textures/yard/flame { { map textures/yard/second } }
        textures/yard/dusk { skyparms env/dusk - -
            { map textures/yard/cloud.tga } }
        textures/yard/other { { map textures/yard/x } }
        textures/yard/broken { { map";

    fn read(text: &str) -> BTreeMap<String, MapShader> {
        let names = ["glass", "flame", "fence", "fog", "dusk", "broken"].map(|name| format!("textures/yard/{name}"));
        let mut shaders = BTreeMap::new();
        read_script(text, &names.iter().map(String::as_str).collect(), &mut shaders);
        shaders
    }

    #[test]
    fn scripts_name_pictures_and_what_holds_for_surfaces() {
        let shaders = read(SCRIPT);
        assert_eq!(shaders.len(), 5, "{:?}", shaders.keys());
        let of = |name: &str| &shaders[&format!("textures/yard/{name}")];
        let glass = of("glass");
        assert_eq!(glass.pictures, ["textures/yard/pane", "textures/yard/glass_seen"]);
        assert_eq!((glass.blend, glass.flags, glass.is_double_sided), (ShaderBlend::Opaque, 0, true));
        assert_eq!(of("flame").pictures, ["textures/yard/f1"], "the first of two with one name");
        assert_eq!((of("flame").blend, of("flame").flags), (ShaderBlend::Add, NON_SOLID));
        assert_eq!((of("fence").blend, of("fence").flags), (ShaderBlend::Mask(0.5), 0));
        assert_eq!((of("fog").flags, of("dusk").flags), (NON_SOLID | NO_DRAW, SKY));
    }

    #[test]
    fn stages_blend_by_the_lowest_of_them() {
        let blend = |function: &str| {
            let text = format!("textures/yard/glass\n{{\n{{\nmap textures/a\nblendFunc {function}\n}}\n}}");
            read(&text)["textures/yard/glass"].blend
        };
        assert_eq!(blend("blend"), ShaderBlend::Alpha);
        assert_eq!(
            ["GL_ONE GL_ONE", "GL_SRC_ALPHA GL_ONE", "GL_DST_COLOR GL_ONE"].map(blend),
            [ShaderBlend::Add; 3],
            "as light and water have it"
        );
        assert_eq!(blend("GL_ZERO GL_ONE_MINUS_SRC_COLOR"), ShaderBlend::Darken);
        assert_eq!([blend("filter"), blend("GL_DST_COLOR GL_ZERO")], [ShaderBlend::Filter; 2]);
        assert_eq!(
            [blend("GL_ONE GL_ZERO"), blend("gl_one gl_one_minus_src_alpha")],
            [ShaderBlend::Opaque, ShaderBlend::Alpha]
        );
    }

    #[test]
    fn damaged_scripts_are_read_as_far_as_they_go() {
        for end in 0..SCRIPT.len() {
            let _ = read(&SCRIPT[..end]);
        }
        for text in
            ["}}}} textures/yard/fog {}", "{{{{", "/* textures/yard/fog { }", "textures/yard/fog\n{\nsurfaceparm\n}"]
        {
            let _ = read(text);
        }
        assert_eq!(read("}}} textures/yard/fog { }").len(), 1);
    }
}
