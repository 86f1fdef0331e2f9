// The pole or bar: a plain satin rod in the cloth's light that fades away below the picture.

#import bevy_pbr::mesh_view_bindings::view

struct Pole {
    // xyz: unit vector toward the light; w: gain.
    light: vec4<f32>,
    // x: shade.
    amount: vec4<f32>,
}

@group(#{MATERIAL_BIND_GROUP}) @binding(0) var<uniform> pole: Pole;

struct Vertex {
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    // Linear, straight alpha.
    @location(2) colour: vec4<f32>,
}

struct Fragment {
    @builtin(position) clip: vec4<f32>,
    @location(0) position: vec3<f32>,
    @location(1) normal: vec3<f32>,
    @location(2) colour: vec4<f32>,
}

@vertex
fn vertex(in: Vertex) -> Fragment {
    return Fragment(view.clip_from_world * vec4(in.position, 1.0), in.position, in.normal, in.colour);
}

@fragment
fn fragment(in: Fragment) -> @location(0) vec4<f32> {
    let n = normalize(in.normal);
    let v = normalize(view.world_position - in.position);
    let l = pole.light.xyz;
    let wrapped = clamp((dot(n, l) + 0.3) / 1.3, 0.0, 1.0);
    let shine = clamp(dot(n, normalize(l + v)), 0.0, 1.0);
    let shine4 = shine * shine * shine * shine;
    let shine16 = shine4 * shine4 * shine4 * shine4;
    let rim = 1.0 - clamp(dot(n, v), 0.0, 1.0);
    let lit = in.colour.rgb * (0.22 + 0.95 * wrapped * wrapped + 0.25 * rim * rim) + vec3(0.35) * shine16;
    return vec4(mix(in.colour.rgb, lit, pole.amount.x) * pole.light.w, in.colour.a);
}
