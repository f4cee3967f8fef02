// Shows what each choice gains: a small diagram for each site where schedules differ, with a row
// for each choice, a point for each schedule that made it, and a bar at their median. Sites that
// explain most of the variance of the time come first. A click at a choice filters by it.
#pragma once

#include <memory>

#include "gui/widgets/plot.h"

namespace thallo::gui {

class StripPlots final : public Plot {
  Q_OBJECT

 public:
  StripPlots();

  // `shown` is as in SpaceModel::shown(); other candidates are drawn pale.
  void show(std::shared_ptr<const SpaceSnapshot> space, const std::vector<bool>& shown,
            const SpaceFilter& filter, const QString& current);
  int numStrips() const { return static_cast<int>(m_strips.size()); }

 Q_SIGNALS:
  void choiceClicked(const QString& site, const QString& choice);

 protected:
  void rebuild() override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Strip {
    QCPAxisRect* rect = nullptr;
    const SiteEffect* effect = nullptr;
    std::size_t numChoices = 0;  // number of choices drawn
  };
  int numColumns() const;
  QCPAxisRect* addStrip(const SiteEffect& effect, int row, int column);
  void addCandidates(const Strip& strip, std::vector<Point>& points);
  void press(QMouseEvent* event);

  std::shared_ptr<const SpaceSnapshot> m_space;
  std::vector<bool> m_shown;
  SpaceFilter m_filter;
  QString m_current;
  std::vector<Strip> m_strips;
  int m_numColumns = 0;  // in the current layout
};

}  // namespace thallo::gui
