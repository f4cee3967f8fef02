// What the inspector shows of the thing that is selected: each model describes its own kind.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <QObject>

#include "gui/models/schedule_data.h"
#include "gui/models/selection.h"

namespace thallo::gui {

struct Inspection {
  QString kind;                                        // "intermediate", "kernel"
  QString title;                                       // its name
  std::vector<std::pair<QString, QString>> rows = {};  // {"bytes", "4.19 MB"}
  QString code = {};                                   // expression or text, in the font of code
  std::vector<SiteRow> sites = {};                     // what can be decided about it
  QString note = {};                                   // why nothing more is shown
};

class InspectorModel final : public QObject {
  Q_OBJECT

 public:
  using Describe = std::function<Inspection(const QString& id)>;

  explicit InspectorModel(SelectionModel& selection, QObject* parent = nullptr);

  // Who describes selections of this kind, also what is not there, or not any more.
  void describeBy(Selection::Kind kind, Describe describe);
  // Asks again, since what is known has changed.
  void refresh();
  // Of the selection; absent when nothing is selected.
  const std::optional<Inspection>& current() const { return m_current; }

 Q_SIGNALS:
  void changed();

 private:
  SelectionModel& m_selection;
  std::map<Selection::Kind, Describe> m_describe;
  std::optional<Inspection> m_current;
};

}  // namespace thallo::gui
