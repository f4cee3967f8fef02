// A line for the name of a file, or for a value that may replace it, with a button to select a
// file. Dropping a file on it replaces the text.
#pragma once

#include <QLineEdit>
#include <QWidget>

namespace thallo::gui {

class FileEdit final : public QWidget {
 public:
  enum class Asks { ForFile, ForFileToWrite };

  explicit FileEdit(Asks asks = Asks::ForFile);

  QLineEdit& line() const { return *m_line; }
  QString text() const { return m_line->text().trimmed(); }

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void browse();

  Asks m_asks;
  QLineEdit* m_line;
};

}  // namespace thallo::gui
