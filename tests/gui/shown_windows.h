// Waiting for what windows show, which is refreshed some turns of the event loop after the models
// have changed (gui/widgets/shown_refresh.h).
#pragma once

#include <algorithm>

#include <QApplication>

#include "gui/widgets/shown_refresh.h"
#include "tests/gui/qt_environment.h"

namespace thallo::test {

// Handles events until all windows show the present state of the models; false when they do not in
// time.
inline bool wait_until_shown() {
  return wait_until([] {
    return std::ranges::none_of(QApplication::topLevelWidgets(), [](const QWidget* window) {
      return gui::ShownRefresh::isUnderWay(*window);
    });
  });
}

}  // namespace thallo::test
