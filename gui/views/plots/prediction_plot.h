// What a cost model predicts against what was measured, a point for each schedule. On the line they
// are equal; above it the model is too pessimistic.
#pragma once

#include <memory>

#include "gui/views/plots/plot.h"

namespace thallo::gui {

class PredictionPlot final : public Plot {
  Q_OBJECT

 public:
  explicit PredictionPlot(QWidget* parent = nullptr);

  // `shown` as SpaceModel::shown(); others are drawn pale. Nothing for a model that there is not.
  void show(std::shared_ptr<const SpaceSnapshot> space, const std::vector<bool>& shown,
            const QString& model, const QString& current);

 protected:
  void rebuild() override;

 private:
  std::shared_ptr<const SpaceSnapshot> m_space;
  std::vector<bool> m_shown;
  QString m_model, m_current;
};

}  // namespace thallo::gui
