// The cloth: pattern, light along the folds, light from behind. Colours come in linear; the target encodes.

#import bevy_pbr::mesh_view_bindings::view

struct Cloth {
    colour_a: vec4<f32>,
    colour_b: vec4<f32>,
    colour_c: vec4<f32>,
    // xyz: unit vector toward the light; w: shade.
    light: vec4<f32>,
    // sheen, translucency, gain, repeat.
    amount: vec4<f32>,
}

@group(#{MATERIAL_BIND_GROUP}) @binding(0) var<uniform> cloth: Cloth;
@group(#{MATERIAL_BIND_GROUP}) @binding(1) var picture: texture_2d<f32>;
@group(#{MATERIAL_BIND_GROUP}) @binding(2) var picture_sampler: sampler;

struct Vertex {
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) uv: vec2<f32>,
    // xy: place on the cloth in widths of the hoist, along the fly and across the hoist;
    // z: curvature, positive where the normal's side is hollow, times the width; w: length over width.
    @location(3) weave: vec4<f32>,
}

struct Fragment {
    @builtin(position) clip: vec4<f32>,
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) uv: vec2<f32>,
    @location(3) weave: vec4<f32>,
}

@vertex
fn vertex(in: Vertex) -> Fragment {
    var out: Fragment;
    out.clip = view.clip_from_world * vec4(in.position, 1.0);
    out.position = in.position;
    out.normal = in.normal;
    out.uv = in.uv;
    out.weave = in.weave;
    return out;
}

const TURN: f32 = 6.2831853;

// How far into its cell x lies, as coverage of a pixel `width` wide: 1 inside, 0.5 on an edge.
fn inside(x: f32, width: f32) -> f32 {
    let edge = 0.5 - abs(fract(x) - 0.5);
    return clamp(0.5 + edge / width, 0.0, 1.0);
}

// Share of the second colour in stripes that change at whole numbers.
fn stripes(x: f32, width: f32) -> f32 {
    let coverage = inside(x, width);
    return select(1.0 - coverage, coverage, fract(0.5 * floor(x)) > 0.25);
}

// Three colours in turn, changing at whole numbers.
fn turns(x: f32, width: f32) -> vec4<f32> {
    let cell = floor(x);
    let nearest = select(cell - 1.0, cell + 1.0, fract(x) > 0.5);
    return mix(colour(nearest), colour(cell), inside(x, width));
}

fn colour(index: f32) -> vec4<f32> {
    let turn = index - 3.0 * floor(index / 3.0);
    return select(select(cloth.colour_c, cloth.colour_b, turn < 1.5), cloth.colour_a, turn < 0.5);
}

// The pattern is chosen when the shader is built: a software adapter would compute them all.
fn pattern(uv: vec2<f32>, place: vec2<f32>, aspect: f32) -> vec4<f32> {
    let repeat = cloth.amount.w;
    let a = cloth.colour_a;
    let b = cloth.colour_b;
    let c = cloth.colour_c;
    let wide = max(fwidth(place * repeat), vec2(1e-5));
    // The cloth's own border is no change of colour.
    let border = 0.5 * wide;
    let p = clamp(place * repeat, border, max(vec2(aspect, 1.0) * repeat - border, border));
#if PATTERN == 0
    return mix(a, b, stripes(p.y, wide.y));
#else if PATTERN == 2
    let s = vec2(stripes(p.x, wide.x), stripes(p.y, wide.y));
    return mix(a, b, s.x + s.y - 2.0 * s.x * s.y);
#else if PATTERN == 3
    // Arrows that point away from the hoist.
    let x = (place.x + 0.62 * (1.0 - abs(2.0 * place.y - 1.0))) * repeat * 0.5;
    return turns(x, max(fwidth(x), 1e-5));
#else if PATTERN == 4
    let reach = place - vec2(0.5 * aspect, 0.5);
    let radius = length(reach);
    let rays = 2.0 * round(repeat);
    // Along a circle one pixel is this much of a ray; the angle's own derivative jumps at the seam.
    let pixel = max(length(fwidth(reach)) * 0.7, 1e-6);
    let width = pixel * rays / (TURN * max(radius, 1e-4));
    let sky = mix(a, b, stripes(atan2(reach.y, reach.x) / TURN * rays + 0.5, max(width, 1e-5)));
    let disc = clamp(0.5 + (0.24 - radius) / pixel, 0.0, 1.0);
    let rim = clamp(0.5 + (0.285 - radius) / pixel, 0.0, 1.0);
    return mix(mix(sky, b, rim), c, disc);
#else if PATTERN == 5
    let swell = 0.42 * sin(place.x * 4.4) + 0.16 * sin(place.x * 9.7 + 1.3 + 2.0 * place.y);
    let x = p.y * 0.75 + swell * (0.6 + 0.075 * repeat);
    return turns(x, max(fwidth(x), 1e-5));
#else if PATTERN == 6
    let near = abs(fract(p + 0.5) - 0.5);
    let line = clamp(0.5 + (vec2(0.07) - near) / wide, vec2(0.0), vec2(1.0));
    let dot = clamp(0.5 + (0.17 - length(near)) / max(wide.x, wide.y), 0.0, 1.0);
    return mix(mix(a, b, max(line.x, line.y)), c, dot);
#else if PATTERN == 7
    let texel = textureSample(picture, picture_sampler, uv);
    return vec4(mix(a.rgb, texel.rgb, texel.a), mix(a.a, 1.0, texel.a));
#else
    return a;
#endif
}

// The threshold of a pixel in a 4x4 pattern that spreads evenly, 0..1.
fn threshold(place: vec2<f32>) -> f32 {
    let p = vec2<u32>(place);
    let x = p.x ^ p.y;
    let index = ((x & 1u) << 3u) | ((p.y & 1u) << 2u) | (x & 2u) | ((p.y & 2u) >> 1u);
    return (f32(index) + 0.5) / 16.0;
}

@fragment
fn fragment(in: Fragment, @builtin(front_facing) front: bool) -> @location(0) vec4<f32> {
    let cloth_colour = pattern(in.uv, in.weave.xy, in.weave.w);
#ifdef MAY_DISCARD
    // A pixel of one sample is there or not; four samples leave some out instead.
    if cloth_colour.a < threshold(in.clip.xy) {
        discard;
    }
#endif
    let albedo = cloth_colour.rgb;
    let shade = cloth.light.w;
    let gain = cloth.amount.z;

    let side = select(-1.0, 1.0, front);
    let n = side * normalize(in.normal);
    let v = normalize(view.world_position - in.position);
    let l = cloth.light.xyz;
    let facing = clamp(dot(n, v), 0.0, 1.0);
    let toward = dot(n, l);

    // Hollows gather less of the sky; ridges catch a little more.
    let fold = side * in.weave.z;
    let open = clamp(1.0 - 0.055 * fold, 0.45, 1.12);

    // A soft sun: light wraps round the folds, and what falls on the far side shines through.
    let wrapped = clamp((toward + 0.35) / 1.35, 0.0, 1.0);
    let direct = wrapped * wrapped * (0.75 + 0.25 * open);
    let through = cloth.amount.y * clamp(0.15 - toward, 0.0, 1.0);
    let sky = mix(vec3(0.20, 0.19, 0.20), vec3(0.40, 0.42, 0.46), 0.5 + 0.5 * n.y) * open;
    let sun = vec3(1.08, 1.03, 0.94);
    var lit = albedo * (sky + sun * direct) + albedo * sqrt(albedo) * sun * through;

    // Satin: a broad highlight along the folds and a rim where the cloth turns away.
    let h = normalize(l + v);
    let shine = clamp(dot(n, h), 0.0, 1.0);
    let shine2 = shine * shine;
    let shine4 = shine2 * shine2;
    let shine16 = shine4 * shine4 * shine4 * shine4;
    let away = 1.0 - facing;
    let sheen = 0.34 * shine16 * shine4 + 0.16 * away * away * away * open;
    lit += cloth.amount.x * sheen * mix(vec3(1.0), albedo, 0.45) * sun;

    // A soft shoulder keeps the folds in the highlights of light colours.
    let over = max(lit - vec3(0.7), vec3(0.0));
    lit -= 0.6 * over * over / (1.0 + over);

    return vec4(mix(albedo, lit, shade) * gain, cloth_colour.a);
}
