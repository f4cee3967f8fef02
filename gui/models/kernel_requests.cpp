#include "gui/models/kernel_requests.h"

#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>

#include "core/cost/spec_file.h"
#include "gui/models/analysis.h"
#include "gui/models/text.h"

namespace thallo::gui {
namespace {

// For devices whose spec lacks an architecture; the default of `thallo print ptx`.
constexpr const char* UsualCudaArchitecture = "sm_90";

QString cudaArchitecture(const DeviceSpec& device) {
  static const QRegularExpression Named("sm_\\d+[a-z]?");
  const auto match = Named.match(toQt(device.signature));
  return match.hasMatch() ? match.captured() : QString(UsualCudaArchitecture);
}

QByteArray lineOf(const QJsonObject& object) {
  return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

}  // namespace

QByteArray openRequest(const Analysis& analysis) {
  const ExplorationTarget& target = analysis.target();
  QJsonObject request = {{"do", "open"},
                         {"device", false},
                         {"target", QString::fromStdString(target.json())},
                         {"spec", QString::fromStdString(device_spec_text(analysis.device()))}};
  if (target.backend == "cuda") request.insert("architecture", cudaArchitecture(analysis.device()));
  return lineOf(request);
}

QByteArray kernelsRequest(const QString& schedule, bool compiles) {
  return lineOf({{"do", "kernels"}, {"schedule", schedule}, {"compile", compiles}});
}

}  // namespace thallo::gui
