// Colors schedule text: methods, quoted names, numbers and comments.
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
