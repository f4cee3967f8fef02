// Other times against those that were measured, a point for each schedule: what a cost model
// predicts, or what was measured on another device. On the line they are equal. Above it a model is
// too pessimistic, and another device slower.
#pragma once

#include <memory>

#include "gui/views/plots/plot.h"

namespace thallo::gui {

class AgreementPlot final : public Plot {
  Q_OBJECT

 public:
  explicit AgreementPlot(QWidget* parent = nullptr);

  // `times` are of the candidates of the space; null: nothing. `label` says what they are:
  // "predicted". How well the order is the same stands in a corner. `shown` as SpaceModel::shown();
  // others are drawn pale.
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
