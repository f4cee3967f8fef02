// Plots other times against the measured ones, with a point for each schedule: the predictions of a
// cost model, or measurements on another device. Times are equal on the line. Above the line, the
// model is too pessimistic or the other device is slower.
#pragma once

#include <memory>

#include "gui/widgets/plot.h"

namespace thallo::gui {

class AgreementPlot final : public Plot {
  Q_OBJECT

 public:
  explicit AgreementPlot(QWidget* parent = nullptr);

  // `times` belong to the candidates of the space; null shows nothing. `label` names them:
  // "predicted". A corner shows how well the orders agree. `shown` is as in SpaceModel::shown();
  // other candidates are drawn pale.
  void show(std::shared_ptr<const SpaceSnapshot> space, std::shared_ptr<const TimeColumn> times,
            const QString& label, const std::vector<bool>& shown, const QString& current);

 protected:
  void rebuild() override;

 private:
  void addSummary();

  std::shared_ptr<const SpaceSnapshot> m_space;
  std::shared_ptr<const TimeColumn> m_times;
  std::vector<bool> m_shown;
  QString m_label, m_current;
};

}  // namespace thallo::gui
