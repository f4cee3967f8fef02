// What every test of the app needs: the application object (made before the first test runs,
// offscreen unless QT_QPA_PLATFORM says otherwise), and waiting for what arrives by the event loop.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include "gui/workspace/workspace.h"

namespace thallo::test {

// Handles events until the condition holds; false when it does not in time.
bool wait_until(const std::function<bool()>& condition,
                std::chrono::milliseconds limit = std::chrono::seconds(60));

// A workspace with the plugins of the build tree and of these folders, whose problem and schedule
// have arrived.
struct OpenWorkspace {
  explicit OpenWorkspace(const gui::ProblemRequest& request, const QString& schedule = "default",
                         std::vector<std::string> plugin_path = {});
  gui::Workspace workspace;
};
// Poisson image editing of 40 rows, for all that does not ask about its shipped measurements: it
// takes as long to draw its picture of 240 rows as the rest of opening it takes.
gui::ProblemRequest small_poisson(const QString& device);
// The options of such a workspace.
gui::WorkspaceOptions workspace_options(std::vector<std::string> plugin_path = {});

}  // namespace thallo::test
