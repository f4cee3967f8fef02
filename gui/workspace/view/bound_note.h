// What stands below the field of an input or option: what is wrong with its value, or else how
// large the file is that it names, with a thumbnail of an image, and what the field means.
#pragma once

#include <QLabel>
#include <QPointer>
#include <QWidget>

#include "gui/problem/bound_files.h"

namespace thallo::gui {

class BoundNote final : public QWidget {
 public:
  // `editor` is the field, which a screen reader reads the note with. `meaning` may be empty.
  BoundNote(QWidget* editor, QString meaning);

  void show(const InputFacts& facts);
  QLabel& text() const { return *m_text; }

 private:
  QPointer<QWidget> m_editor;
  QString m_meaning;
  InputFacts m_facts;
  QLabel* m_picture;  // null before the first thumbnail
  QLabel* m_text;

  void refresh();
};

}  // namespace thallo::gui
