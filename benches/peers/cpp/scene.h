// The scene as src/native.rs hands it over.
#pragma once

#include <cstdint>

extern "C" struct Scene
{
	uint32_t particles;
	const float *positions;		// x y z of each, m
	const float *inverse_masses;	// 1/kg; 0 is pinned
	uint32_t links;
	const uint32_t *ends;		// two particles of each, in the order of projection
	float gravity;			// along −y, m/s²
	float damping;			// decay rate of all velocity, 1/s
};
