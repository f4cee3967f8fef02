// Lanes below a distribution, on the same axis of times. Each lane shows the distribution of the
// times on another device, the fastest schedule there, and the place of the schedule that is
// fastest in the distribution above.
#pragma once

#include <memory>
#include <vector>

#include <QString>

#include "gui/space/space_data.h"
#include "gui/widgets/theme.h"

class QCustomPlot;

namespace thallo::gui {

struct SpaceLane {
  QString name;
  std::shared_ptr<const SpaceSnapshot> space;

  friend bool operator==(const SpaceLane&, const SpaceLane&) = default;
};

// A schedule of a lane, with its position.
struct LaneDot {
  double seconds = 0, y = 0;
  QString hash, text;  // text describes it: "NVIDIA H100: best, 1.2 ms"
  Ink ink = Ink::Text;
  bool isFilled = true;
};

// Returns the title of a lane: its name, and how far the fastest schedule of `here` is from the
// fastest there.
QString laneTitle(const SpaceLane& lane, const SpaceSnapshot& here);

// Draws the lane between two heights of the vertical axis. `current` is the hash of the current
// schedule. Returns the dots of single schedules.
std::vector<LaneDot> drawLane(QCustomPlot& plot, const SpaceLane& lane, const SpaceSnapshot& here,
                              const QString& current, double bottom, double top);

}  // namespace thallo::gui
