// Ticks for an axis of seconds, "50 µs", "100 µs", "200 µs": linear or logarithmic, as many as fit.
#pragma once

#include "gui/widgets/qcp.h"

namespace thallo::gui {

class TimeTicker final : public QCPAxisTicker {
 public:
  explicit TimeTicker(bool isLog, int numWanted = 6);

 protected:
  double getTickStep(const QCPRange& range) override;
  QVector<double> createTickVector(double step, const QCPRange& range) override;
  QVector<double> createSubTickVector(int count, const QVector<double>& ticks) override;
  QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override;

 private:
  bool m_isLog;
  int m_numWanted;
};

}  // namespace thallo::gui
