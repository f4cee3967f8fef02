// Shows a choice between two alternatives as a switch, with a time on each side.
#pragma once

#include <QAbstractButton>
#include <QLabel>

#include "gui/schedule/view/editors/site_editor.h"

namespace thallo::gui {

// The slider; the schedule determines its position.
class Switch final : public QAbstractButton {
  Q_OBJECT

 public:
  explicit Switch(QWidget* parent = nullptr);
  QSize sizeHint() const override { return {44, 24}; }
  void setCanChange(bool canChange);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void nextCheckState() override {}

 private:
  bool m_canChange = true;
};

class SwitchRow final : public SiteEditor {
  Q_OBJECT

 public:
  explicit SwitchRow(ScheduleModel& schedule);

 protected:
  void refresh(const SiteTable& table) override;

 private:
  void write(QLabel* label, std::size_t choice);

  Switch* m_switch;
  QLabel *m_off, *m_on;
};

}  // namespace thallo::gui
