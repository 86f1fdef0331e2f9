// Behind everything: the background colour, darker toward the edges of the picture.

struct Backdrop {
    // Linear, gain included.
    colour: vec4<f32>,
    // x: vignette.
    amount: vec4<f32>,
    // Height of the grain for each channel, linear.
    grain: vec4<f32>,
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
    // A pool of light a little above the middle, and less of it below. Products only: on a software adapter
    // this is the largest surface of the picture.
    let reach = (in.place - vec2(0.04, 0.12)) * vec2(0.62, 0.70);
    let near = max(1.0 - 0.78 * dot(reach, reach), 0.0);
    let near2 = near * near;
    let light = 1.0 + backdrop.amount.x * (1.55 * near2 * near2 + 0.06 - 1.0);
    // Less than half a step of the 8-bit picture: it breaks up bands and leaves a flat colour exact.
    let grain = fract(52.9829189 * fract(dot(in.clip.xy, vec2(0.06711056, 0.00583715)))) - 0.5;
    return vec4(backdrop.colour.rgb * light + backdrop.grain.rgb * grain, 1.0);
}
