// Colors of schedule text: methods, names in quotes, numbers and comments.
#pragma once

#include <QSyntaxHighlighter>

namespace thallo::gui {

class ScheduleHighlighter final : public QSyntaxHighlighter {
  Q_OBJECT

 public:
  using QSyntaxHighlighter::QSyntaxHighlighter;

 protected:
  void highlightBlock(const QString& text) override;
};

}  // namespace thallo::gui
