#include "gui/workspace/view/inspector.h"

#include <array>

#include <QGridLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include "gui/schedule/choice_text.h"
#include "gui/widgets/elided.h"
#include "gui/widgets/labels.h"
#include "gui/widgets/layouts.h"
#include "gui/widgets/step_looks.h"
#include "gui/widgets/theme.h"
#include "gui/workspace/view/moves_panel.h"

namespace thallo::gui {
namespace {

// If a site has more choices, only the current one is shown.
constexpr std::size_t MostListed = 12;

// Wraps between words. A word that is wider than the inspector is cut, so that it does not push
// other things out on the right.
void letShrink(QLabel* label) {
  label->setWordWrap(true);
  label->setMinimumWidth(1);
  label->setToolTip(label->text());
  label->setTextInteractionFlags(Qt::TextSelectableByMouse);
}

QLabel* addLabel(QVBoxLayout* layout, const QString& text, Ink color, const QFont& font) {
  auto* label = new QLabel(text);
  letShrink(label);
  label->setFont(font);
  QPalette palette = label->palette();
  palette.setColor(QPalette::WindowText, ink(color));
  label->setPalette(palette);
  layout->addWidget(label);
  return label;
}

// Explains the colors of kinds, and how stored and recomputed things look.
class Legend final : public QWidget {
 public:
  using QWidget::QWidget;
  QSize sizeHint() const override { return {200, 5 * line() + 8}; }

 protected:
  void paintEvent(QPaintEvent* /*event*/) override {
    struct Entry {
      Ink ink;
      const char* name;
    };
    constexpr std::array Entries = {Entry{Ink::Field, "field"},
                                    Entry{Ink::Unknown, "unknown"},
                                    Entry{Ink::Intermediate, "intermediate"},
                                    Entry{Ink::Sum, "Sum"},
                                    Entry{Ink::Residual, "residuals"},
                                    Entry{Ink::Product, "product"}};
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const int column = width() / 2;
    for (std::size_t i = 0; i < Entries.size(); ++i) {
      const int x = static_cast<int>(i % 2) * column, y = static_cast<int>(i / 2) * line();
      swatch(painter, {x, y}, ink(Entries[i].ink), true);
      word(painter, {x, y}, tr(Entries[i].name));
    }
    const int below = 3 * line() + 4;
    swatch(painter, {0, below}, ink(Ink::Intermediate), true);
    word(painter, {0, below}, tr("stored"));
    swatch(painter, {column, below}, ink(Ink::Intermediate), false);
    word(painter, {column, below}, tr("recomputed"));
    fillTime(painter, QRect(0, below + line() + 4, 14, line() - 8), ink(Ink::Field), true);
    word(painter, {0, below + line()}, tr("measured"));
    fillTime(painter, QRect(column, below + line() + 4, 14, line() - 8), ink(Ink::Field), false);
    word(painter, {column, below + line()}, tr("estimated"));
  }

 private:
  int line() const { return fontMetrics().height() + 4; }
  void swatch(QPainter& painter, QPoint at, const QColor& color, bool isFilled) const {
    setInks(painter, QPen(color, 1.5), isFilled ? QBrush(color) : QBrush(Qt::NoBrush));
    painter.drawRoundedRect(QRectF(at.x() + 1, at.y() + 5, 12, line() - 10), 3, 3);
  }
  void word(QPainter& painter, QPoint at, const QString& text) const {
    const int room = width() / 2 - 24;
    painter.setPen(ink(Ink::Text));
    painter.drawText(QRect(at.x() + 20, at.y(), room, line()), Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(text, Qt::ElideRight, room));
  }
};

}  // namespace

Inspector::Inspector(Workspace& workspace)
    : m_workspace(workspace),
      m_layout(new QVBoxLayout(this)),
      m_moves(makeMovesPanel(workspace.guide())),
      m_refresh(*this, [this] { refresh(); }) {
  named(this, "inspector", tr("Inspector"));
  m_layout->setContentsMargins(12, 8, 12, 8);
  m_layout->addWidget(m_moves);
  auto* scroll = new QScrollArea;
  scroll->setWidgetResizable(true);
  scroll->setAccessibleName(tr("What is selected"));
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_layout->addWidget(scroll, 1);
  m_layout->addWidget(new Legend);
  // An edit changes several models, and the description with each of them.
  connect(&workspace.inspector(), &InspectorModel::changed, &m_refresh, &ShownRefresh::askSoon);
  refresh();
}

void Inspector::refresh() {
  m_body = new QWidget;
  auto* layout = new QVBoxLayout(m_body);
  layout->setContentsMargins(0, 0, 0, 0);
  const auto& inspection = m_workspace.inspector().current();
  if (inspection) {
    addLabel(layout, inspection->kind, Ink::Muted, font());
    addLabel(layout, inspection->title, Ink::Text, titleFont());
    addRows(*inspection);
    if (!inspection->code.isEmpty()) addLabel(layout, inspection->code, Ink::Text, codeFont());
    for (const SiteRow& site : inspection->sites) addSite(site);
    if (!inspection->note.isEmpty()) addLabel(layout, inspection->note, Ink::Muted, font());
  } else {
    addLabel(layout,
             tr("Click a node, a step of the time strip, a site or a point: what is known of it "
                "stands here, with the choices that it has."),
             Ink::Muted, font());
  }
  layout->addStretch();
  // Replaces the previous body.
  findChild<QScrollArea*>()->setWidget(m_body);
  m_moves->setVisible(!inspection.has_value());
}

void Inspector::addRows(const Inspection& inspection) {
  auto* grid = new QGridLayout;
  grid->setColumnStretch(1, 1);
  for (const auto& [name, value] : inspection.rows) {
    const int row = grid->rowCount();
    auto* nameLabel = mutedLabel(name);
    auto* valueLabel = new QLabel(value);
    letShrink(valueLabel);
    grid->addWidget(nameLabel, row, 0, Qt::AlignTop);
    grid->addWidget(valueLabel, row, 1);
  }
  static_cast<QVBoxLayout*>(m_body->layout())->addLayout(grid);
}

void Inspector::addSite(const SiteRow& site) {
  auto* layout = static_cast<QVBoxLayout*>(m_body->layout());
  addLabel(layout, site.construct, Ink::Muted, font());
  if (site.choices.size() > MostListed) {
    addLabel(layout, site.choices[site.chosen].label, Ink::Text, font());
    addLabel(layout, tr("one of %1, on the schedule page").arg(site.choices.size()), Ink::Muted,
             font());
    return;
  }
  // Each site has its own group of buttons.
  auto* group = new QWidget;
  auto* grid = new QGridLayout(group);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setColumnStretch(0, 1);
  for (std::size_t i = 0; i < site.choices.size(); ++i) {
    const ChoiceRow& choice = site.choices[i];
    const int row = static_cast<int>(i);
    auto* button = new ElidedRadioButton(choice.label);
    button->setChecked(i == site.chosen);
    button->setEnabled(choice.illegal.isEmpty());
    button->setToolTip(choice.label + '\n' + choiceTip(site, i));
    connect(button, &QRadioButton::clicked, this, [this, site, label = choice.label] {
      m_workspace.schedule().choose(site.construct, site.name, label);
    });
    grid->addWidget(button, row, 0);
    const CostWords words = costWords(site, i);
    if (!words.time.isEmpty()) grid->addWidget(new QLabel(words.time), row, 1, Qt::AlignRight);
  }
  layout->addWidget(group);
}

}  // namespace thallo::gui
