#include "gui/widgets/labels.h"

#include "gui/widgets/theme.h"

namespace thallo::gui {

QLabel* titleLabel(const QString& text) {
  auto* label = new QLabel(text);
  label->setFont(titleFont());
  return label;
}

QLabel* wrappedLabel(const QString& text) {
  auto* label = new QLabel(text);
  label->setWordWrap(true);
  return label;
}

QLabel* textLabel(const QString& text) {
  QLabel* label = wrappedLabel(text);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
  return label;
}

QLabel* faultLabel() {
  QLabel* label = textLabel();
  label->setForegroundRole(FaultRole);
  return label;
}

QLabel* mutedLabel(const QString& text) {
  auto* label = new QLabel(text);
  label->setForegroundRole(QPalette::PlaceholderText);
  return label;
}

QLabel* mutedNote(const QString& text) {
  QLabel* label = mutedLabel(text);
  label->setWordWrap(true);
  return label;
}

}  // namespace thallo::gui
