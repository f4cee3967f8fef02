#pragma once

// Finds in a store what somebody asks about: the problem, and the devices that it was measured on.

#include <string>
#include <vector>

#include "core/explore/space/explored_problem.h"
#include "core/explore/store/store.h"

namespace thallo {

struct DeviceChoice {
  std::string name;              // signature or part of the name; empty: any device
  std::string backend = "auto";  // "auto": of any backend
};

// Fails if the store has nothing about this problem with its options. The message lists the options
// that it was measured with, the most similar ones first; or the problems that were measured.
Expected<ProblemRecord> find_problem(const MeasurementStore& store, const ExploredProblem& problem);

// Returns those of the devices that are meant. Fails if there is none; the message lists them all.
Expected<std::vector<DeviceRecord>> chosen_devices(const MeasurementStore& store,
                                                   const std::vector<DeviceRecord>& devices,
                                                   const DeviceChoice& choice);
// The same of the devices that have results of this problem, given its signature.
Expected<std::vector<DeviceRecord>> measured_devices(const MeasurementStore& store,
                                                     const std::string& problem,
                                                     const DeviceChoice& choice);
// "NVIDIA H200 (NVIDIA H200, driver 13.0, nvrtc 13.0)", for messages.
std::vector<std::string> titles_of(const std::vector<DeviceRecord>& devices);

}  // namespace thallo
