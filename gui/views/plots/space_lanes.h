// Below a distribution, on the same axis of times: how the times on other devices are
// distributed, a lane for each, with the fastest schedule there and where the fastest of the
// distribution above lies.
#pragma once

#include <memory>
#include <vector>

#include <QString>

#include "gui/models/space_data.h"
#include "gui/views/theme.h"

class QCustomPlot;

namespace thallo::gui {

struct SpaceLane {
  QString name;
  std::shared_ptr<const SpaceSnapshot> space;

  friend bool operator==(const SpaceLane&, const SpaceLane&) = default;
};

// A schedule of a lane, where it is drawn.
struct LaneDot {
  double seconds = 0, y = 0;
  QString hash, text;  // what it is: "NVIDIA H100: best, 1.2 ms"
  Ink ink = Ink::Text;
  bool isFilled = true;
};

// What a lane says: its name, and how far the fastest of `here` is off the fastest there.
QString laneTitle(const SpaceLane& lane, const SpaceSnapshot& here);

// Draws the lane between two heights of the vertical axis; `current` is the hash of the schedule
// that all pages show. What is drawn of single schedules is returned.
std::vector<LaneDot> drawLane(QCustomPlot& plot, const SpaceLane& lane, const SpaceSnapshot& here,
                              const QString& current, double bottom, double top);

}  // namespace thallo::gui
