// Problems as cards: a picture, the title, and what the problem shows. A picture appears a moment
// after its card, since reading all that are visible at a stretch would take too long.
#pragma once

#include <deque>
#include <map>

#include <QListView>
#include <QPixmap>
#include <QTimer>

namespace thallo::gui {

// The model must have the roles of ProblemList. There are as many columns as fit, and they fill the
// width.
class ProblemGallery final : public QListView {
 public:
  ProblemGallery();

  // True if all pictures that were painted are there.
  bool hasPictures() const { return m_wanted.empty(); }
  // Returns the picture of a card, cropped to the size, or to an earlier one until that is there;
  // null before the first.
  QPixmap picture(const QModelIndex& index, const QSize& size);

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  struct Wanted {
    QString key, name, file;
    QSize size;
    double scale = 1;
  };
  void makeNext();

  struct Made {
    QString key;
    QPixmap picture;
  };
  std::map<QString, Made> m_made;  // by problem
  std::deque<Wanted> m_wanted;
  QTimer m_next;
};

}  // namespace thallo::gui
