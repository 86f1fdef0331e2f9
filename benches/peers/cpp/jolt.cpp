// Jolt's soft body in a physics system of its own, on the thread that asks.

#include "scene.h"

#include <Jolt/Jolt.h>

#include <Jolt/Core/Factory.h>
#include <Jolt/Core/JobSystemSingleThreaded.h>
#include <Jolt/Core/TempAllocator.h>
#include <Jolt/Physics/Body/BodyLock.h>
#include <Jolt/Physics/PhysicsSettings.h>
#include <Jolt/Physics/PhysicsSystem.h>
#include <Jolt/Physics/SoftBody/SoftBodyCreationSettings.h>
#include <Jolt/Physics/SoftBody/SoftBodyMotionProperties.h>
#include <Jolt/RegisterTypes.h>

namespace
{
using namespace JPH;

// One layer; there is nothing to collide with.
class OneLayer final : public BroadPhaseLayerInterface
{
public:
	uint GetNumBroadPhaseLayers() const override { return 1; }
	BroadPhaseLayer GetBroadPhaseLayer(ObjectLayer) const override { return BroadPhaseLayer(0); }
};

class NoBroadPhase final : public ObjectVsBroadPhaseLayerFilter
{
public:
	bool ShouldCollide(ObjectLayer, BroadPhaseLayer) const override { return false; }
};

class NoPairs final : public ObjectLayerPairFilter
{
public:
	bool ShouldCollide(ObjectLayer, ObjectLayer) const override { return false; }
};

// Jolt's registry is one a process.
void start_once()
{
	static const bool started = [] {
		RegisterDefaultAllocator();
		Factory::sInstance = new Factory();
		RegisterTypes();
		return true;
	}();
	(void)started;
}

struct Cloth
{
	OneLayer layers;
	NoBroadPhase no_broad_phase;
	NoPairs no_pairs;
	TempAllocatorMalloc memory;
	JobSystemSingleThreaded jobs { cMaxPhysicsJobs };
	PhysicsSystem system;
	BodyID body;
	int steps = 0;
	uint32_t links = 0;

	~Cloth()
	{
		system.GetBodyInterface().RemoveBody(body);
		system.GetBodyInterface().DestroyBody(body);
	}
};
}

extern "C" void *jolt_new(const Scene *scene, uint32_t steps, uint32_t iterations)
{
	start_once();

	Ref<SoftBodySharedSettings> shared = new SoftBodySharedSettings;
	for (uint32_t i = 0; i < scene->particles; ++i)
	{
		const float *p = scene->positions + 3 * i;
		shared->mVertices.push_back(
			SoftBodySharedSettings::Vertex(Float3(p[0], p[1], p[2]), Float3(0, 0, 0), scene->inverse_masses[i]));
	}
	for (uint32_t i = 0; i < scene->links; ++i)
		shared->mEdgeConstraints.push_back(SoftBodySharedSettings::Edge(scene->ends[2 * i], scene->ends[2 * i + 1]));
	shared->CalculateEdgeLengths();
	// Jolt's own order: disjoint groups, each from the pins outward. It is not optional.
	shared->Optimize();

	auto *cloth = new Cloth;
	cloth->steps = int(steps);
	cloth->links = uint32_t(shared->mEdgeConstraints.size());
	cloth->system.Init(1, 0, 1, 1, cloth->layers, cloth->no_broad_phase, cloth->no_pairs);
	cloth->system.SetGravity(Vec3(0, -scene->gravity, 0));

	SoftBodyCreationSettings settings(shared, RVec3::sZero(), Quat::sIdentity(), 0);
	// An iteration of Jolt is a substep: predict, project once, take the velocity.
	settings.mNumIterations = iterations;
	settings.mLinearDamping = scene->damping;
	settings.mUpdatePosition = false;
	settings.mAllowSleeping = false;
	cloth->body = cloth->system.GetBodyInterface().CreateAndAddSoftBody(settings, EActivation::Activate);
	return cloth;
}

extern "C" void jolt_frame(void *handle, float seconds)
{
	auto *cloth = static_cast<Cloth *>(handle);
	cloth->system.Update(seconds, cloth->steps, &cloth->memory, &cloth->jobs);
}

extern "C" uint32_t jolt_links(const void *handle)
{
	return static_cast<const Cloth *>(handle)->links;
}

extern "C" void jolt_positions(const void *handle, float *out)
{
	const auto *cloth = static_cast<const Cloth *>(handle);
	BodyLockRead lock(cloth->system.GetBodyLockInterface(), cloth->body);
	const auto *motion = static_cast<const SoftBodyMotionProperties *>(lock.GetBody().GetMotionProperties());
	const RMat44 frame = lock.GetBody().GetCenterOfMassTransform();
	for (const SoftBodyVertex &vertex : motion->GetVertices())
	{
		const RVec3 p = frame * vertex.mPosition;
		*out++ = float(p.GetX());
		*out++ = float(p.GetY());
		*out++ = float(p.GetZ());
	}
}

extern "C" void jolt_delete(void *handle)
{
	delete static_cast<Cloth *>(handle);
}
