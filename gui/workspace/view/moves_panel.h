// The next best moves from the current schedule, as a list that is worked through by the keyboard:
// ↑ and ↓ go from move to move, Enter takes one, and the first of those from there has the keys
// then. The pointer, or the keys, on a move try it out. The rows stay while the list is computed
// anew.
#pragma once

#include <vector>

#include <QLabel>
#include <QPushButton>

#include "gui/schedule/guide_model.h"

namespace thallo::gui {

// A move in two lines: what it does, then what that saves, with a dot that is filled if the gain
// was measured.
class MoveRow final : public QPushButton {
  Q_OBJECT

 public:
  using QPushButton::QPushButton;
  void show(const GuideModel::Move& move);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;
  bool isUnderPointer() const { return m_isUnderPointer; }
  // True if the keys are at the row, and a click did not bring them there.
  bool hasKeys() const { return hasFocus() && m_isByKeys; }

 Q_SIGNALS:
  // Emitted when the pointer or the keys come to it, and when they leave.
  void regardedChanged();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void enterEvent(QEnterEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void focusOutEvent(QFocusEvent* event) override;

 private:
  QString m_gain, m_split;
  bool m_isMeasured = false, m_isUnderPointer = false, m_isByKeys = false;
};

class MovesPanel final : public QWidget {
  Q_OBJECT

 public:
  explicit MovesPanel(GuideModel& guide, QWidget* parent = nullptr);

 private:
  void refresh();
  void showMoves();
  void refreshPreview();

  GuideModel& m_guide;
  QLabel* m_title;
  QLabel* m_note;
  std::vector<MoveRow*> m_rows;
  QPushButton* m_follow;
  bool m_isTakenByKeys = false;
  bool m_isTaken = false;  // true if a row was pressed, and the moves from there are on their way
};

}  // namespace thallo::gui
