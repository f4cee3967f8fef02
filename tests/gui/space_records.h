// Made-up measurements, in stores and in memory, for tests of the space page.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "gui/problem/problem_data.h"

namespace thallo {
struct DeviceReport;
}

namespace thallo::test {

// A store with results of this problem on an NVIDIA H200, or a GPU of another name: the named
// schedules and 20 others that differ in the strategy of a part. Times are 1, 2, 3 ... ms, or
// `slowdown` times that; the last two of the others have failed. The schedule `default` was run
// end to end and has a step "update" that took 10 us. A store that is there keeps what it has
// of other GPUs.
void write_space(const std::filesystem::path& store, const gui::ProblemSnapshot& problem,
                 const std::string& gpu = "NVIDIA H200", double slowdown = 1);

// What every step took, as the store has it; nothing while there is no store.
std::map<std::string, std::vector<double>> step_times(const std::filesystem::path& store);

// So many schedules of a problem with eight parts, each with a way that matters less from part to
// part and an order that does not matter.
DeviceReport many_candidates(std::size_t count);
// Adds what the choices at the sites make of the times.
void add_effects(DeviceReport& report);

}  // namespace thallo::test
