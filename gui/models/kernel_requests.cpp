#include "gui/models/kernel_requests.h"

#include <QRegularExpression>

#include "core/cost/spec_file.h"
#include "gui/models/analysis.h"
#include "gui/models/text.h"

namespace thallo::gui {
namespace {

// For devices whose spec lacks an architecture; the default of `thallo print ptx`.
constexpr const char* UsualCudaArchitecture = "sm_90";

std::string cudaArchitecture(const DeviceSpec& device) {
  static const QRegularExpression Named("sm_\\d+[a-z]?");
  const auto match = Named.match(toQt(device.signature));
  return match.hasMatch() ? match.captured().toStdString() : UsualCudaArchitecture;
}

}  // namespace

OpenRequest openRequest(const Analysis& analysis) {
  const ExplorationTarget& target = analysis.target();
  OpenRequest request{.target = target, .spec = device_spec_text(analysis.device())};
  if (target.backend == "cuda") request.architecture = cudaArchitecture(analysis.device());
  return request;
}

}  // namespace thallo::gui
