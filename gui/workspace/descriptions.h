// What the inspector says of each kind of thing that can be selected.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "gui/space/space_model.h"
#include "gui/workspace/inspection.h"

namespace thallo::gui {

class Workspace;

// Describes selections in the workspace, including things that do not exist (any more).
void describeBy(const Workspace& workspace, InspectorModel& inspector);

// A measured schedule, found on the page or in what is shown beside it.
struct FoundCandidate {
  std::shared_ptr<const SpaceSnapshot> space;
  std::size_t index = 0;
  QString elsewhere;  // name of the space beside; empty: on the page
};
std::optional<FoundCandidate> findCandidate(const SpaceModel& space, const QString& hash);

}  // namespace thallo::gui
