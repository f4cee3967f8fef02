#include "gui/kernels/kernel_requests.h"

#include <QRegularExpression>

#include "core/cost/device/spec_file.h"
#include "gui/base/text.h"

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

OpenRequest openRequest(const OpenProblem& problem) {
  const ExplorationTarget& target = problem.target();
  OpenRequest request{.target = target, .spec = device_spec_text(problem.device())};
  if (target.backend == "cuda") request.architecture = cudaArchitecture(problem.device());
  return request;
}

}  // namespace thallo::gui
