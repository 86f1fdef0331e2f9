// Whiskers: each is a quad of two ends, widened in the picture so that it is as thick as asked everywhere.

#import bevy_pbr::mesh_view_bindings::view

struct Whiskers {
    // Linear with gain; alpha is the opacity.
    colour: vec4<f32>,
    // x: half thickness in pixels; y: 1 when the grid stands behind everything.
    amount: vec4<f32>,
}

@group(#{MATERIAL_BIND_GROUP}) @binding(0) var<uniform> whiskers: Whiskers;

struct Vertex {
    @location(0) position: vec3<f32>,
    // The other end.
    @location(1) other: vec3<f32>,
    // x: side −1 or 1; y: 0 at the root, 1 at the tip; z: strength of this whisker.
    @location(2) place: vec3<f32>,
}

struct Fragment {
    @builtin(position) clip: vec4<f32>,
    // x: across in pixels; y: along 0..1; z: strength.
    @location(0) place: vec3<f32>,
}

@vertex
fn vertex(in: Vertex) -> Fragment {
    var here = view.clip_from_world * vec4(in.position, 1.0);
    let there = view.clip_from_world * vec4(in.other, 1.0);
    let near = 1e-3;
    if (here.w < near || there.w < near) {
        // An end behind the camera: nothing is drawn.
        return Fragment(vec4(0.0, 0.0, -1.0, 1.0), vec3(0.0));
    }
    let size = view.viewport.zw;
    let along = in.place.y;
    let run = (there.xy / there.w - here.xy / here.w) * size * select(-1.0, 1.0, along < 0.5);
    let length2 = dot(run, run);
    let direction = select(vec2(1.0, 0.0), run * inverseSqrt(max(length2, 1e-12)), length2 > 1e-12);
    // Half a pixel beyond the edge for a soft border.
    let half_width = max(whiskers.amount.x, 0.5) + 0.75;
    let across = vec2(-direction.y, direction.x) * in.place.x * half_width;
    here = vec4(here.xy + across * 2.0 / size * here.w, here.zw);
    if (whiskers.amount.y > 0.5) {
        here.z = 0.0;
    }
    return Fragment(here, vec3(in.place.x * half_width, along, in.place.z));
}

@fragment
fn fragment(in: Fragment) -> @location(0) vec4<f32> {
    let half_width = whiskers.amount.x;
    // Thinner than a pixel is fainter, not broken.
    let faint = min(2.0 * half_width, 1.0);
    let taper = mix(0.55, 1.0, in.place.y) * max(half_width, 0.5);
    let edge = clamp(taper + 0.5 - abs(in.place.x), 0.0, 1.0);
    let along = in.place.y;
    let fade = (0.16 + 0.84 * along) * smoothstep(1.0, 0.94, along);
    return vec4(whiskers.colour.rgb, whiskers.colour.a * edge * fade * faint * in.place.z);
}
