// Behind everything: the background colour, darker toward the edges of the picture.

struct Backdrop {
    // Linear, gain included.
    colour: vec4<f32>,
    // vignette, width over height of the picture.
    amount: vec4<f32>,
}

@group(#{MATERIAL_BIND_GROUP}) @binding(0) var<uniform> backdrop: Backdrop;

struct Fragment {
    @builtin(position) clip: vec4<f32>,
    @location(0) place: vec2<f32>,
}

@vertex
fn vertex(@location(0) position: vec3<f32>) -> Fragment {
    // Depth 0 is the far plane.
    return Fragment(vec4(position.xy, 0.0, 1.0), position.xy);
}

@fragment
fn fragment(in: Fragment) -> @location(0) vec4<f32> {
    // A pool of light a little above the middle, and less of it below.
    let reach = (in.place - vec2(0.04, 0.10)) * vec2(0.80, 0.92);
    let radius2 = dot(reach, reach);
    let fall = 1.0 / (1.0 + 1.15 * radius2);
    let lift = 1.0 + 0.55 * exp2(-3.2 * radius2);
    let light = mix(1.0, fall * fall * lift, backdrop.amount.x);
    let colour = backdrop.colour.rgb * light;
    // Less than half a step of the 8-bit picture: it breaks up bands and leaves a flat colour exact.
    let grain = fract(52.9829189 * fract(dot(in.clip.xy, vec2(0.06711056, 0.00583715)))) - 0.5;
    return vec4(colour + grain * (0.66 * 2.2 / 255.0) * sqrt(colour), 1.0);
}
