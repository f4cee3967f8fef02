// A line for the name of a file, or for what may stand in its place, with a button that asks for
// one. A file that is dropped on it takes the place of the text.
#pragma once

#include <QLineEdit>
#include <QWidget>

namespace thallo::gui {

class FileEdit final : public QWidget {
  Q_OBJECT

 public:
  enum class Asks { ForFile, ForFileToWrite, ForFolder };

  explicit FileEdit(Asks asks = Asks::ForFile, QWidget* parent = nullptr);

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
