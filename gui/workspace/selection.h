// The selection: one thing at a time, the same on all pages.
#pragma once

#include <QObject>
#include <QString>

namespace thallo::gui {

struct Selection {
  enum class Kind { None, Node, Site, Step, Candidate, Line };
  Kind kind = Kind::None;
  // DagNode::id for a node of the graph; SiteRow::id() for a site; the label for a step of the
  // program; the schedule's hash for a candidate; the number, from 1, for a line of the energy.
  QString id;

  friend bool operator==(const Selection&, const Selection&) = default;
};

// What an iteration takes beside its steps is selected like a step.
inline Selection besideStepsSelection() {
  return {Selection::Kind::Step, QStringLiteral("beside the steps")};
}

class SelectionModel final : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

  const Selection& current() const { return m_current; }
  void select(const Selection& selection) {
    if (selection == m_current) return;
    m_current = selection;
    Q_EMIT changed(m_current);
  }
  void clear() { select({}); }

 Q_SIGNALS:
  void changed(const thallo::gui::Selection& selection);

 private:
  Selection m_current;
};

}  // namespace thallo::gui
