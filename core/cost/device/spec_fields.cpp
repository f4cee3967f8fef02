#include "core/cost/device/spec_fields.h"

#include <array>

namespace thallo {
namespace {

using S = DeviceSpec;
constexpr bool MayBeEmpty = true;

constexpr std::array Fields = {
    SpecField{"name", "", "what the device is called", &S::name},
    SpecField{"backend", "", "whose programs it runs: cuda, cpu, interpreter", &S::backend},
    SpecField{"signature", "", "of the device and of what compiles for it", &S::signature,
              MayBeEmpty},
    SpecField{"source", "", "where the numbers come from", &S::source},

    SpecField{"units", "", "multiprocessors, or threads of a host", &S::units},
    SpecField{"lanes", "", "threads that run in step", &S::lanes},
    SpecField{"threads_per_unit", "", "that can be resident", &S::threads_per_unit},
    SpecField{"registers_per_unit", "", "that resident threads share; 0: no limit",
              &S::registers_per_unit, MayBeEmpty},
    SpecField{"memory", "B", "of the device", &S::memory},
    SpecField{"cache", "B", "the last level that all units share; 0 where unknown", &S::cache,
              MayBeEmpty},
    SpecField{"sector", "B", "the least that is transferred", &S::sector},

    SpecField{"copy", "B/s", "read and written, arrays far larger than the cache", &S::copy},
    SpecField{"read", "B/s", "arrays far larger than the cache", &S::read},
    SpecField{"cached_copy", "B/s", "read and written, arrays in the cache", &S::cached_copy},
    SpecField{"gather", "B/s", "records of 32 bytes at random places of a table of so many bytes",
              &S::gather},
    SpecField{"atomic", "/s", "additions of floats by all threads to so many addresses",
              &S::atomic},
    SpecField{"private_add", "/s", "additions of floats to memory of one thread", &S::private_add},
    SpecField{"float_flops", "flop/s", "a fused multiply-add is two", &S::float_flops},
    SpecField{"double_flops", "flop/s", "likewise", &S::double_flops},
    SpecField{"float_transcendentals", "/s", "sines", &S::float_transcendentals},
    SpecField{"double_transcendentals", "/s", "sines", &S::double_transcendentals},
    SpecField{"load_latency", "s", "until a value is there that is loaded from memory",
              &S::load_latency},

    SpecField{"launch", "s", "a kernel that the host enqueues", &S::launch},
    SpecField{"round_trip", "s", "a kernel that the host waits for; 0 where unknown",
              &S::round_trip, MayBeEmpty},
    SpecField{"node", "s", "an empty kernel in a chain of kernels", &S::node},
    SpecField{"programmatic_node", "s", "the same, launched before the one before has ended",
              &S::programmatic_node},
    SpecField{"loop_turn", "s", "what the loop adds to a linear iteration", &S::loop_turn},
    SpecField{"clear", "s", "a small buffer set to zero", &S::clear},
    SpecField{"library", "s", "a library's product with a tiny matrix; 0 where unknown",
              &S::library, MayBeEmpty},
};

}  // namespace

std::span<const SpecField> spec_fields() { return Fields; }

}  // namespace thallo
