// What the inspector shows of the selected thing.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include <QObject>

#include "gui/schedule/schedule_data.h"
#include "gui/workspace/selection.h"

namespace thallo::gui {

class Workspace;

struct Inspection {
  QString kind;                                        // "intermediate", "kernel"
  QString title;                                       // its name
  std::vector<std::pair<QString, QString>> rows = {};  // {"bytes", "4.19 MB"}
  QString code = {};                                   // expression or text, in a fixed-width font
  std::vector<SiteRow> sites = {};                     // the sites that decide about it
  QString note = {};                                   // why there is nothing more to show
};

class InspectorModel final : public QObject {
  Q_OBJECT

 public:
  // Describes selections in the workspace, including things that do not exist (any more).
  InspectorModel(Workspace& workspace, SelectionModel& selection);

  // Describes the selection again, because something has changed that may be said of it.
  void update();
  // Does that and emits changed() in any case, because views look different.
  void refresh();
  // The description of the selection; absent if nothing is selected.
  const std::optional<Inspection>& current() const { return m_current; }

 Q_SIGNALS:
  void changed();

 private:
  std::optional<Inspection> describe() const;

  Workspace& m_workspace;
  SelectionModel& m_selection;
  std::optional<Inspection> m_current;
};

}  // namespace thallo::gui
