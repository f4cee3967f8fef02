// A button that chooses what is shown beside the measurements of the page: other devices of its
// store, and devices of other stores.
#pragma once

#include <QLabel>
#include <QMenu>
#include <QToolButton>

#include "gui/space/space_model.h"

namespace thallo::gui {

class BesideButton final : public QToolButton {
  Q_OBJECT

 public:
  explicit BesideButton(SpaceModel& space, QWidget* parent = nullptr);

 private:
  void fill();
  // Adds the devices of a store, which can be switched on and off.
  void addDevices(const QString& store, const SpaceSnapshot& space);
  void addAction(const SpaceSource& source, const QString& text);
  void openStore();

  SpaceModel& m_space;
  QMenu* m_menu;
};

// Shows what could not be read, and why; hidden if everything could.
class BesideFaults final : public QLabel {
  Q_OBJECT

 public:
  explicit BesideFaults(SpaceModel& space, QWidget* parent = nullptr);

 private:
  void refresh();

  SpaceModel& m_space;
};

}  // namespace thallo::gui
