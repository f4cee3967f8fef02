// Problems as cards: a picture, the title, and what the problem shows.
#pragma once

#include <QListView>

namespace thallo::gui {

// The model must have the roles of ProblemList. There are as many columns as fit, and they fill the
// width.
class ProblemGallery final : public QListView {
  Q_OBJECT

 public:
  explicit ProblemGallery(QWidget* parent = nullptr);

 protected:
  void resizeEvent(QResizeEvent* event) override;
};

}  // namespace thallo::gui
