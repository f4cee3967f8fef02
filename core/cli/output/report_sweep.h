// Shows how the times of a problem's schedules grow with its size, for sizes that double. The
// schedules are the named ones and the fastest in the store. `thallo report --sweep` prints this.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/fields.h"
#include "core/cli/session.h"
#include "core/cost/model/cost_model.h"
#include "core/explore/plot/svg.h"
#include "core/explore/space/target.h"
#include "core/explore/store/store.h"

namespace thallo::cli {

// "size=64:1024"
struct SweepRange {
  std::string option;
  std::int64_t first = 0, last = 0;

  std::vector<std::int64_t> values() const;  // first, twice as much ..., up to last
};
// Throws UserError for a malformed text, and if the problem has no such option or the option is not
// an integer.
SweepRange parse_sweep(const std::string& text, const Problem& problem);

// Seconds per nonlinear iteration.
struct SweepTime {
  std::optional<double> measured;   // of whole solves if available, else composed
  std::optional<double> estimated;  // infinite if the program does not fit into memory
  std::optional<double> shown() const { return measured ? measured : estimated; }
};
THALLO_FIELDS(SweepTime, measured, estimated)

struct SweepPoint {
  std::int64_t value = 0;
  std::map<std::string, SweepTime> times;  // by name: "default", "opt", "auto", "best" ...
  std::string auto_text;                   // the schedule that auto chooses
  bool auto_differs = false;               // from the choice for the previous value
};

struct Sweep {
  std::string problem, option;
  std::string device;     // where times were measured; else the predicted device
  std::string predicted;  // the device whose spec is used for predictions
  std::vector<SweepPoint> points;
};

// Predicts times with the model and the spec. Measured times come from the store, if there is one,
// and belong to the given device. Fails if a problem of the sweep cannot be made.
Sweep make_sweep(Session& session, const ExplorationTarget& target, const SweepRange& range,
                 const CostModel& model, const DeviceSpec& spec, const MeasurementStore* store,
                 const std::optional<DeviceRecord>& device);

std::string sweep_markdown(const Sweep& sweep);
std::string sweep_json(const Sweep& sweep);
// Returns nothing if no time is known.
std::optional<plot::Svg> sweep_picture(const Sweep& sweep);

}  // namespace thallo::cli
