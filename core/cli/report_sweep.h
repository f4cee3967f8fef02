// How the times of a problem's schedules grow with its size: those with a name and the fastest that
// the store knows, over sizes that double. `thallo report --sweep` shows it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/cli/session.h"
#include "core/cost/cost_model.h"
#include "core/explore/plot/svg.h"
#include "core/explore/store.h"
#include "core/explore/work/target.h"

namespace thallo::cli {

// "size=64:1024"
struct SweepRange {
  std::string option;
  std::int64_t first = 0, last = 0;

  std::vector<std::int64_t> values() const;  // first, twice as much ..., none above last
};
// UserError for another text, and for an option that the problem has not or that is no integer.
SweepRange parse_sweep(const std::string& text, const Problem& problem);

// Seconds of a nonlinear iteration.
struct SweepTime {
  std::optional<double> measured;   // of whole solves, else composed
  std::optional<double> predicted;  // infinite where the program does not fit
  std::optional<double> shown() const { return measured ? measured : predicted; }
};

struct SweepPoint {
  std::int64_t value = 0;
  std::map<std::string, SweepTime> times;  // by name: "default", "opt", "auto", "best" ...
  std::string auto_text;                   // the schedule that auto chooses
  bool auto_differs = false;               // from what it chooses for the value before
};

struct Sweep {
  std::string problem, option;
  std::string device;     // that times were measured on, else that they are predicted for
  std::string predicted;  // the device whose spec predictions are made with
  std::vector<SweepPoint> points;
};

// Predictions are made by the model with the spec. What was measured is taken from the store, if
// there is one, on the device. Fails as problems do that cannot be made.
Sweep make_sweep(Session& session, const ExplorationTarget& target, const SweepRange& range,
                 const CostModel& model, const DeviceSpec& spec, const MeasurementStore* store,
                 const std::optional<DeviceRecord>& device);

std::string sweep_markdown(const Sweep& sweep);
std::string sweep_json(const Sweep& sweep);
// Nothing where no time is known.
std::optional<plot::Svg> sweep_picture(const Sweep& sweep);

}  // namespace thallo::cli
