#include "gui/problem/view/start_view.h"

#include <algorithm>
#include <array>
#include <utility>

#include <QEnterEvent>
#include <QLabel>
#include <QListView>
#include <QMenu>
#include <QPainter>
#include <QPushButton>

#include "gui/problem/examples.h"
#include "gui/widgets/labels.h"
#include "gui/widgets/layouts.h"
#include "gui/widgets/theme.h"

namespace thallo::gui {
namespace {

constexpr int WayPadding = 12;
constexpr QSize DrawingSize(104, 72);

void drawBox(QPainter& painter, const QRectF& box, Ink which, bool isFilled) {
  setInks(painter, QPen(ink(which), 1.5), isFilled ? QBrush(ink(which)) : QBrush(Qt::NoBrush));
  painter.drawRoundedRect(box, 3, 3);
}

// Nodes with the cut between them, and the time strip below.
void drawSchedule(QPainter& painter) {
  painter.setPen(QPen(ink(Ink::Muted), 1.2));
  painter.drawLine(QPointF(26, 14), QPointF(42, 10));
  painter.drawLine(QPointF(26, 30), QPointF(42, 34));
  painter.drawLine(QPointF(62, 10), QPointF(78, 20));
  painter.drawLine(QPointF(62, 34), QPointF(78, 24));
  drawBox(painter, {6, 8, 20, 12}, Ink::Field, true);
  drawBox(painter, {6, 26, 20, 12}, Ink::Unknown, true);
  drawBox(painter, {42, 4, 20, 12}, Ink::Intermediate, true);
  drawBox(painter, {42, 28, 20, 12}, Ink::Intermediate, false);
  drawBox(painter, {78, 16, 20, 12}, Ink::Residual, true);
  painter.setPen(QPen(ink(Ink::Cut), 2, Qt::DashLine));
  painter.drawLine(QPointF(70, 0), QPointF(70, 46));
  constexpr std::array Widths = {34.0, 14.0, 30.0, 14.0};
  constexpr std::array Inks = {Ink::Product, Ink::Sum, Ink::Product, Ink::Field};
  double x = 6;
  for (std::size_t i = 0; i < Widths.size(); ++i) {
    painter.fillRect(QRectF(x, 54, Widths[i] - 1.5, 12), ink(Inks[i]));
    x += Widths[i];
  }
}

// Lines of a text, and a picture that is bound to one of its words.
void drawEnergy(QPainter& painter) {
  drawBox(painter, {4, 4, 54, 64}, Ink::Frame, false);
  constexpr std::array Lengths = {22.0, 38.0, 30.0, 40.0, 26.0};
  painter.setPen(Qt::NoPen);
  for (std::size_t i = 0; i < Lengths.size(); ++i) {
    const QRectF line(11, 13 + 11 * static_cast<double>(i), Lengths[i], 4);
    painter.setBrush(ink(i == 1 ? Ink::Unknown : i == 3 ? Ink::Residual : Ink::Muted));
    painter.drawRoundedRect(line, 2, 2);
  }
  painter.setPen(QPen(ink(Ink::Unknown), 1.5));
  painter.drawLine(QPointF(51, 26), QPointF(68, 26));
  drawBox(painter, {68, 10, 32, 32}, Ink::Unknown, false);
  setInks(painter, Qt::NoPen, ink(Ink::Intermediate));
  painter.drawPolygon(QPolygonF({{70, 40}, {80, 24}, {87, 33}, {91, 28}, {98, 40}}));
  painter.setBrush(ink(Ink::Unknown));
  painter.drawEllipse(QPointF(91, 18), 3.5, 3.5);
}

// The distribution of many schedules, and the fastest.
void drawSpace(QPainter& painter) {
  constexpr std::array Heights = {5.0, 16.0, 34.0, 48.0, 40.0, 25.0, 18.0, 21.0, 11.0, 5.0};
  painter.setPen(Qt::NoPen);
  for (std::size_t i = 0; i < Heights.size(); ++i) {
    painter.setBrush(ink(i == 0 ? Ink::Good : Ink::Sum));
    painter.drawRect(QRectF(6 + 9.4 * static_cast<double>(i), 58 - Heights[i], 8, Heights[i]));
  }
  painter.setPen(QPen(ink(Ink::Muted), 1.2));
  painter.drawLine(QPointF(3, 58.5), QPointF(101, 58.5));
  painter.setPen(QPen(ink(Ink::Good), 2));
  painter.drawLine(QPointF(10, 8), QPointF(10, 48));
  setInks(painter, Qt::NoPen, ink(Ink::Muted));
  for (const double x : {12.0, 22.0, 27.0, 33.0, 36.0, 40.0, 44.0, 51.0, 58.0, 70.0, 77.0, 90.0})
    painter.drawEllipse(QPointF(x, 65), 1.6, 1.6);
}

// What the drawing shows: decisions and their times, a text and a picture, or a distribution.
enum class WayIn { Schedule, Energy, Space };

// A large button with a small drawing, a title and a sentence: one of the ways into the app.
class WayButton final : public QPushButton {
 public:
  // An ampersand in the title makes the letter after it a key, with Alt.
  WayButton(WayIn way, const QString& title, const QString& sentence)
      : QPushButton(title), m_way(way), m_sentence(sentence) {
    setAccessibleName(QString(title).remove('&'));
    setAccessibleDescription(sentence);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    setAutoDefault(true);  // Enter presses it
  }

  QSize sizeHint() const override { return {420, heightForWidth(420)}; }
  QSize minimumSizeHint() const override { return {240, heightForWidth(420)}; }
  bool hasHeightForWidth() const override { return true; }

  int heightForWidth(int width) const override {
    const int room = width - DrawingSize.width() - 3 * WayPadding;
    if (m_heightIn.first != room) {
      const QRect all(0, 0, room, 1000);
      m_heightIn = {room, fontMetrics().boundingRect(all, Qt::TextWordWrap, m_sentence).height()};
    }
    return std::max(QFontMetrics(titleFont()).height() + 4 + m_heightIn.second,
                    DrawingSize.height()) +
           2 * WayPadding;
  }

 protected:
  void paintEvent(QPaintEvent* /*event*/) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const bool isHot = underMouse() || hasFocus();
    setInks(painter, QPen(ink(isHot ? Ink::Accent : Ink::Frame), hasFocus() ? 2.0 : 1.0),
            ink(isDown() ? Ink::Surface : Ink::Raised));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 8, 8);
    const QRect inner = rect().adjusted(WayPadding, WayPadding, -WayPadding, -WayPadding);
    painter.save();
    painter.translate(inner.left(), inner.center().y() - DrawingSize.height() / 2);
    switch (m_way) {
      case WayIn::Schedule: drawSchedule(painter); break;
      case WayIn::Energy: drawEnergy(painter); break;
      case WayIn::Space: drawSpace(painter); break;
    }
    painter.restore();
    QRect words = inner.adjusted(DrawingSize.width() + WayPadding, 0, 0, 0);
    painter.setFont(titleFont());
    painter.setPen(ink(isEnabled() ? Ink::Text : Ink::Muted));
    painter.drawText(words, Qt::AlignLeft | Qt::AlignTop | Qt::TextShowMnemonic, text());
    words.setTop(words.top() + painter.fontMetrics().height() + 4);
    painter.setFont(font());
    painter.setPen(ink(Ink::Muted));
    painter.drawText(words, Qt::AlignLeft | Qt::AlignTop | Qt::TextWordWrap, m_sentence);
  }

  // Hover is painted.
  void enterEvent(QEnterEvent* event) override {
    QPushButton::enterEvent(event);
    update();
  }

  void leaveEvent(QEvent* event) override {
    QPushButton::leaveEvent(event);
    update();
  }

 private:
  WayIn m_way;
  QString m_sentence;
  // The room for the sentence and its height there; layouts ask for the same ones many times.
  mutable std::pair<int, int> m_heightIn = {-1, 0};
};

class StartView final : public QWidget {
 public:
  StartView(Workspace& workspace, StartActions actions)
      : m_workspace(workspace),
        m_actions(std::move(actions)),
        m_schedule(
            named(new WayButton(WayIn::Schedule, tr("&Look at a schedule"),
                                tr("An example: what its schedule decides, what each decision "
                                   "costs, and which would be faster.")),
                  "lookAtSchedule")),
        m_energy(named(
            new WayButton(WayIn::Energy, tr("&Bring an energy"),
                          tr("Your own text and data: open its file, begin a new one, or drop "
                             "a file on this page.")),
            "bringEnergy")),
        m_space(
            named(new WayButton(WayIn::Space, tr("E&xplore a space"),
                                tr("Hundreds of schedules that were measured on a GPU: where the "
                                   "fast ones are, and why.")),
                  "exploreSpace")),
        m_bring(named(new QMenu(this), "bringMenu")),
        m_title(titleLabel(tr("Opened last"))),
        m_recent(named(new QListView, "recentList")) {
    setObjectName("startView");
    auto* head = titleLabel(tr("Begin here, or choose a problem"));
    head->setWordWrap(true);
    m_bring->addAction(tr("&Open a file …  (Ctrl+O)"), m_actions.openFile);
    m_bring->addAction(tr("&New energy …"), m_actions.beginEnergy);
    connect(m_schedule, &QPushButton::clicked, this, [this] {
      const auto& catalog = m_workspace.problems().catalog().value;
      if (catalog) begin(exampleOfSchedule(*catalog), QStringLiteral("schedule"));
    });
    connect(m_energy, &QPushButton::clicked, this, [this] {
      m_bring->popup(m_energy->mapToGlobal(QPoint(0, m_energy->height())));
      m_bring->setActiveAction(m_bring->actions().front());
    });
    connect(m_space, &QPushButton::clicked, this, [this] {
      const auto& catalog = m_workspace.problems().catalog().value;
      if (catalog) begin(exampleOfSpace(*catalog), QStringLiteral("space"));
    });
    m_title->setContentsMargins(0, 12, 0, 0);
    m_recent->setAccessibleName(m_title->text());
    m_recent->setModel(&workspace.recent());
    m_recent->setSpacing(4);
    m_recent->viewport()->setAutoFillBackground(false);
    connect(m_recent, &QListView::activated, this, [this](const QModelIndex& index) {
      const auto& all = m_workspace.recent().all();
      m_workspace.openRecent(all[static_cast<std::size_t>(index.row())]);
    });
    connect(m_recent, &QListView::clicked, m_recent, &QListView::activated);
    setLayout(makeColumn({head, m_schedule, m_energy, m_space, m_title, {m_recent, 1}, Cell::gap()},
                         {16, 8, 12, 8}, 8));
    connect(&workspace.problems(), &ProblemModel::catalogChanged, this, &StartView::refresh);
    connect(&workspace.recent(), &QAbstractItemModel::modelReset, this, &StartView::refresh);
    refresh();
  }

 private:
  void refresh() {
    const auto& catalog = m_workspace.problems().catalog().value;
    m_schedule->setEnabled(catalog && exampleOfSchedule(*catalog));
    m_space->setEnabled(catalog && exampleOfSpace(*catalog));
    const bool hasRecent = m_workspace.recent().rowCount() > 0;
    m_title->setVisible(hasRecent);
    m_recent->setVisible(hasRecent);
  }

  void begin(const std::optional<ProblemRequest>& request, const QString& page) {
    if (!request) return;
    m_workspace.open(*request, {}, [this, page] { m_actions.showPage(page); });
  }

  Workspace& m_workspace;
  StartActions m_actions;
  WayButton *m_schedule, *m_energy, *m_space;
  QMenu* m_bring;
  QLabel* m_title;
  QListView* m_recent;
};

}  // namespace

QWidget* makeStartView(Workspace& workspace, StartActions actions) {
  return new StartView(workspace, actions);
}

}  // namespace thallo::gui
