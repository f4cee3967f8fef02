// Says how many sites are pinned. Its menu lists them, and leaves one or all of them open. Hidden
// while none is pinned.
#pragma once

#include <QToolButton>

#include "gui/schedule/pin_model.h"

class QMenu;

namespace thallo::gui {

class PinsButton final : public QToolButton {
  Q_OBJECT

 public:
  explicit PinsButton(PinModel& pins);

 private:
  void refresh();
  void fill();

  PinModel& m_pins;
  QMenu* m_menu;
};

}  // namespace thallo::gui
