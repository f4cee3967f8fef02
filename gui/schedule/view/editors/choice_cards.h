// Shows the choices of a site side by side as cards with their times. The arrow keys move from card
// to card; the space bar or the return key takes one.
#pragma once

#include <vector>

#include <QAbstractButton>
#include <QLabel>

#include "gui/schedule/view/editors/site_editor.h"

namespace thallo::gui {

class ChoiceCard final : public QAbstractButton {
  Q_OBJECT

 public:
  explicit ChoiceCard(QWidget* parent);
  void setChoice(const SiteRow& site, std::size_t choice);
  QSize sizeHint() const override;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  // The schedule decides which card is checked, not the click.
  void nextCheckState() override {}

 private:
  CostWords m_words;
  int m_numLines = 0;
  bool m_isLegal = true, m_isRepeated = false;
};

class ChoiceCards final : public SiteEditor {
  Q_OBJECT

 public:
  explicit ChoiceCards(ScheduleModel& schedule);
  bool hasHeightForWidth() const override { return true; }
  int heightForWidth(int width) const override;
  QSize sizeHint() const override;

 protected:
  void refresh(const SiteTable& table) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  QSize cardSize() const;
  int numColumns(int width) const;
  void layOut();

  std::vector<ChoiceCard*> m_cards;
  QLabel* m_legend;  // explains what is drawn on the cards
};

}  // namespace thallo::gui
