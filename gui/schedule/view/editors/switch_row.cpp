// Shows a choice between two alternatives as a switch, with a time on each side.
#include <QAbstractButton>
#include <QLabel>
#include <QPainter>

#include "gui/schedule/view/editors/site_editor.h"
#include "gui/widgets/layouts.h"
#include "gui/widgets/theme.h"

namespace thallo::gui {
namespace {

// The slider; the schedule determines its position.
class Switch final : public QAbstractButton {
 public:
  Switch() {
    setCheckable(true);
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  }

  QSize sizeHint() const override { return {44, 24}; }

  void setCanChange(bool canChange) {
    m_canChange = canChange;
    update();
  }

 protected:
  void paintEvent(QPaintEvent* /*event*/) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF track = QRectF(rect()).adjusted(2, 2, -2, -2);
    const QColor color = ink(!m_canChange ? Ink::Muted : isChecked() ? Ink::Accent : Ink::Field);
    setInks(painter, hasFocus() ? QPen(ink(Ink::Text), 1.5) : QPen(color, 1),
            isChecked() ? color : ink(Ink::Surface));
    painter.drawRoundedRect(track, track.height() / 2, track.height() / 2);
    const double radius = track.height() / 2 - 3;
    const double x = isChecked() ? track.right() - radius - 3 : track.left() + radius + 3;
    setInks(painter, Qt::NoPen, isChecked() ? ink(Ink::Raised) : color);
    painter.drawEllipse(QPointF(x, track.center().y()), radius, radius);
  }

  void nextCheckState() override {}

 private:
  bool m_canChange = true;
};

class SwitchRow final : public SiteEditor {
 public:
  explicit SwitchRow(ScheduleModel& schedule)
      : SiteEditor(schedule),
        m_switch(named(new Switch, "switch")),
        m_off(named(new QLabel, "switchOff")),
        m_on(named(new QLabel, "switchOn")) {
    setObjectName("switchRow");
    m_off->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    auto* row = makeRow({m_off, m_switch, m_on, Cell::gap()}, OwnMargins, 16);
    setLayout(makeColumn({row, Cell::gap()}, {0, 8, 0, 8}));
    connect(m_switch, &QAbstractButton::clicked, this,
            [this] { choose(std::get<Toggle>(site().editor).position(!m_switch->isChecked())); });
  }

 protected:
  void refresh(const SiteTable& /*table*/) override {
    const auto& toggle = std::get<Toggle>(site().editor);
    const bool isOn = toggle.is_on(site().chosen);
    const std::size_t other = toggle.position(!isOn);
    m_switch->setChecked(isOn);
    m_switch->setCanChange(site().choices[other].illegal.isEmpty());
    m_switch->setToolTip(choiceTip(site(), other));
    m_switch->setAccessibleName(site().choices[toggle.position(true)].label);
    m_switch->setAccessibleDescription(choiceTip(site(), other));
    write(m_off, toggle.position(false));
    write(m_on, toggle.position(true));
  }

 private:
  void write(QLabel* label, std::size_t choice) {
    const ChoiceRow& row = site().choices[choice];
    const bool isLegal = row.illegal.isEmpty(), isChosen = choice == site().chosen;
    const CostWords words = costWords(site(), choice);
    const Ink change = words.direction < 0   ? Ink::Good
                       : words.direction > 0 ? Ink::Bad
                                             : Ink::Muted;
    const auto colored = [](const QString& text, Ink color) {
      return QStringLiteral("<span style='color:%1'>%2</span>")
          .arg(ink(color).name(), text.toHtmlEscaped());
    };
    QString text = isLegal ? QStringLiteral("<b>%1</b>").arg(row.label.toHtmlEscaped())
                           : colored(row.label, Ink::Muted);
    text += QStringLiteral("<br>");
    if (!isLegal)
      text += colored(tr("not legal"), Ink::Muted);
    else
      text += words.time.toHtmlEscaped() + QStringLiteral("<br>") +
              (isChosen ? colored(tr("chosen"), Ink::Accent) : colored(words.change, change));
    if (!words.numerics.isEmpty())
      text += QStringLiteral("<br>") + colored(words.numerics, Ink::Bad);
    label->setText(text);
    label->setToolTip(choiceTip(site(), choice));
  }

  Switch* m_switch;
  QLabel *m_off, *m_on;
};

}  // namespace

SiteEditor* makeSwitchRow(ScheduleModel& schedule) { return new SwitchRow(schedule); }

}  // namespace thallo::gui
