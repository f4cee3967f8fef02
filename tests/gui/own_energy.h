// An energy of one's own in a folder of its own, for tests of the app.
#pragma once

#include <fstream>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <QFile>
#include <QString>

#include "gui/problem/energy_draft.h"
#include "tests/support/temp_dir.h"

namespace thallo::test {

inline QString content(const QString& path) {
  QFile file(path);
  EXPECT_TRUE(file.open(QIODevice::ReadOnly)) << path.toStdString();
  return QString::fromUtf8(file.readAll());
}

class OwnEnergy {
 public:
  OwnEnergy() { std::ofstream(folder_.path() / "own_energy.lua") << text().toStdString(); }

  // Line 4 has the residuals.
  static QString text() {
    return "local W, H = Dims('W', 'H')\n"
           "Inputs { X = Unknown(float, {W, H}, 0), A = Array(float, {W, H}, 1), w = Param(float, "
           "2) }\n"
           "local x, y = W(), H()\n"
           "Residuals { fit = X(x, y) - A(x, y), reg = w * (X(x, y) - X(x + 1, y)) }\n";
  }
  static std::vector<std::pair<QString, QString>> bindings() {
    return {{"A", "ramp.0"}, {"w", "0.5"}, {"W", "16"}, {"H", "12"}};
  }
  QString folder() const { return QString::fromStdString(folder_.path().string()); }
  QString energy() const { return folder() + "/own_energy.lua"; }
  QString problemFile() const { return folder() + "/own_energy.toml"; }
  Expected<void> writeProblemFile() const {
    Session session;
    return gui::writeProblemFile(session, {energy(), problemFile(), "", bindings()});
  }

 private:
  TempDir folder_;
};

}  // namespace thallo::test
