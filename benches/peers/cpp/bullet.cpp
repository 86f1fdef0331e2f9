// Bullet's soft body, driven by its own public steps: predict, solve, integrate. No world, so that neither a broad
// phase nor islands are counted against it.

#include "scene.h"

#include <BulletSoftBody/btSoftBody.h>

#include <cmath>

namespace
{
struct Cloth
{
	btSoftBodyWorldInfo info;
	btSoftBody *body = nullptr;
	int steps = 0;
	float damping = 0;

	~Cloth() { delete body; }
};
}

extern "C" void *bullet_new(const Scene *scene, uint32_t steps, uint32_t iterations)
{
	auto *cloth = new Cloth;
	cloth->steps = int(steps);
	cloth->damping = scene->damping;
	cloth->info.m_gravity = btVector3(0, -scene->gravity, 0);
	// The air of Bullet would only add work.
	cloth->info.air_density = 0;
	cloth->info.m_sparsesdf.Initialize();

	auto *body = new btSoftBody(&cloth->info);
	cloth->body = body;
	// What the constructors that take nodes begin with: links as stiff as they can be.
	auto *material = body->appendMaterial();
	material->m_kLST = 1;
	material->m_kAST = 1;
	material->m_kVST = 1;
	material->m_flags = btSoftBody::fMaterial::Default;
	for (uint32_t i = 0; i < scene->particles; ++i)
	{
		const float *p = scene->positions + 3 * i;
		const float inverse = scene->inverse_masses[i];
		// A mass of 0 is pinned.
		body->appendNode(btVector3(p[0], p[1], p[2]), inverse > 0 ? 1 / inverse : 0);
	}
	for (uint32_t i = 0; i < scene->links; ++i)
		body->appendLink(int(scene->ends[2 * i]), int(scene->ends[2 * i + 1]));
	body->m_cfg.piterations = int(iterations);
	body->m_cfg.collisions = 0;
	return cloth;
}

extern "C" void bullet_frame(void *handle, float seconds)
{
	auto *cloth = static_cast<Cloth *>(handle);
	const float step = seconds / float(cloth->steps);
	// What a step takes from the velocity.
	cloth->body->m_cfg.kDP = 1 - std::exp(-cloth->damping * step);
	for (int i = 0; i < cloth->steps; ++i)
	{
		cloth->body->predictMotion(step);
		cloth->body->solveConstraints();
		cloth->body->integrateMotion();
	}
}

extern "C" uint32_t bullet_links(const void *handle)
{
	return uint32_t(static_cast<const Cloth *>(handle)->body->m_links.size());
}

extern "C" void bullet_positions(const void *handle, float *out)
{
	const auto &nodes = static_cast<const Cloth *>(handle)->body->m_nodes;
	for (int i = 0; i < nodes.size(); ++i)
		for (int axis = 0; axis < 3; ++axis)
			out[3 * i + axis] = float(nodes[i].m_x[axis]);
}

extern "C" void bullet_delete(void *handle)
{
	delete static_cast<Cloth *>(handle);
}
