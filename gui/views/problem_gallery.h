// Problems as cards: a picture, the title, and what the problem shows.
#pragma once

#include <QListView>

namespace thallo::gui {

// To be given a model with the roles of ProblemList. Columns are as many as fit, and
// fill the width.
class ProblemGallery final : public QListView {
  Q_OBJECT

 public:
  explicit ProblemGallery(QWidget* parent = nullptr);

 protected:
  void resizeEvent(QResizeEvent* event) override;
};

}  // namespace thallo::gui
