// thallo-explorer: the desktop app.
#include <QApplication>

#include "gui/app/run.h"

int main(int argc, char** argv) {
  QApplication app(argc, argv);
  return thallo::gui::run(app);
}
