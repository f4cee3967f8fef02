// What the inspector shows of the selected thing. Each model describes the kinds of things that it
// knows.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <QObject>

#include "gui/schedule/schedule_data.h"
#include "gui/workspace/selection.h"

namespace thallo::gui {

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
  using Describe = std::function<Inspection(const QString& id)>;

  explicit InspectorModel(SelectionModel& selection, QObject* parent = nullptr);

  // Sets the function that describes selections of this kind, including things that do not exist
  // (any more).
  void describeBy(Selection::Kind kind, Describe describe);
  // Describes the selection again, because something has changed that may be said of it.
  void update();
  // Does that and emits changed() in any case, because views look different.
  void refresh();
  // The description of the selection; absent if nothing is selected.
  const std::optional<Inspection>& current() const { return m_current; }

 Q_SIGNALS:
  void changed();

 private:
  SelectionModel& m_selection;
  std::map<Selection::Kind, Describe> m_describe;
  std::optional<Inspection> m_current;
};

}  // namespace thallo::gui
