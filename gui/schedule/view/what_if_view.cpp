#include "gui/schedule/view/what_if_view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QMouseEvent>
#include <QSlider>
#include <QTableWidget>

#include "gui/base/text.h"
#include "gui/schedule/what_if_model.h"
#include "gui/widgets/labels.h"
#include "gui/widgets/layouts.h"
#include "gui/widgets/plot.h"
#include "gui/widgets/qcp.h"
#include "gui/widgets/shown_refresh.h"
#include "gui/widgets/time_ticker.h"
#include "gui/workspace/workspace.h"

namespace thallo::gui {
namespace {

QColor whatIfColor(std::size_t line, const QString& name) {
  const Ink known = markInk(name);
  if (known != Ink::Text) return ink(known);
  constexpr std::array Inks = {Ink::Unknown, Ink::Text, Ink::Field, Ink::Muted};
  return ink(Inks[line % Inks.size()]);
}

// Nothing here is measured.
QString predictedText(double seconds) { return timeText(seconds, false); }

QTableWidget* makeWhatIfTable(const char* name, const QString& accessibleName) {
  auto* table = named(new QTableWidget, name, accessibleName);
  table->verticalHeader()->hide();
  table->setShowGrid(false);
  table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table->setSelectionMode(QAbstractItemView::NoSelection);
  table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft);
  return table;
}

QTableWidgetItem* makeWhatIfCell(const QString& text, bool isNumber, bool isBest = false) {
  auto* cell = new QTableWidgetItem(text);
  cell->setTextAlignment((isNumber ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  cell->setToolTip(text);
  if (isBest) {
    cell->setFont(boldFont(cell->font()));
    cell->setForeground(ink(Ink::Good));
  }
  return cell;
}

class WhatIfPlot final : public Plot {
 public:
  // `chosen` is called with the number of the point that is pressed.
  explicit WhatIfPlot(std::function<void(int point)> chosen)
      : Plot("whatIfPlot", tr("Predicted times of schedules over sizes")) {
    setMinimumHeight(180);
    connect(&canvas(), &QCustomPlot::mousePress, this,
            [this, chosen = std::move(chosen)](QMouseEvent* event) {
              if (m_snapshot == nullptr || m_snapshot->amounts.empty()) return;
              const double at = canvas().xAxis->pixelToCoord(event->position().x());
              const auto distance = [at](double amount) { return std::abs(std::log(amount / at)); };
              const auto nearest = std::ranges::min_element(m_snapshot->amounts, {}, distance);
              chosen(static_cast<int>(nearest - m_snapshot->amounts.begin()));
            });
    rebuild();
  }

  // Marks the point of that number.
  void show(std::shared_ptr<const WhatIfSnapshot> snapshot, std::size_t point) {
    if (snapshot == m_snapshot && point == m_point) return;
    m_snapshot = std::move(snapshot);
    m_point = point;
    rebuild();
  }

 protected:
  void rebuild() override {
    QCustomPlot& plot = canvas();
    plot.clearPlottables();
    plot.clearItems();
    style(*plot.axisRect());
    for (QCPAxis* axis : {plot.xAxis, plot.yAxis}) axis->setScaleType(QCPAxis::stLogarithmic);
    plot.xAxis->setTicker(QSharedPointer<QCPAxisTickerLog>(new QCPAxisTickerLog));
    plot.xAxis->setNumberFormat("gb");
    plot.xAxis->setNumberPrecision(2);
    plot.yAxis->setTicker(QSharedPointer<TimeTicker>::create(true, 4));
    plot.yAxis->setLabel(tr("a nonlinear iteration, predicted"));
    plot.legend->setVisible(true);
    plot.axisRect()->insetLayout()->setInsetAlignment(0, Qt::AlignLeft | Qt::AlignTop);
    plot.legend->setBrush(ink(Ink::Raised));
    plot.legend->setBorderPen(QPen(ink(Ink::Frame)));
    plot.legend->setTextColor(ink(Ink::Text));
    if (m_snapshot != nullptr && !m_snapshot->amounts.empty()) {
      plot.xAxis->setLabel(m_snapshot->quantity);
      for (std::size_t i = 0; i < m_snapshot->lines.size(); ++i) {
        const WhatIfLine& line = m_snapshot->lines[i];
        QVector<double> x, y;
        for (std::size_t k = 0; k < line.seconds.size(); ++k) {
          if (!std::isfinite(line.seconds[k]) || line.seconds[k] <= 0) continue;
          x.append(m_snapshot->amounts[k]);
          y.append(line.seconds[k]);
        }
        QCPGraph* graph = plot.addGraph();
        graph->setName(line.name);
        const QColor color = whatIfColor(i, line.name);
        graph->setPen(
            QPen(color, 2, i + 1 == m_snapshot->lines.size() ? Qt::DashLine : Qt::SolidLine));
        graph->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssCircle, color, 5));
        graph->setData(x, y, true);
      }
      plot.rescaleAxes();
      for (QCPAxis* axis : {plot.xAxis, plot.yAxis})
        axis->setRange(axis->range().lower / 1.4, axis->range().upper * 1.4);
      auto* mark = new QCPItemStraightLine(&plot);
      mark->setPen(QPen(ink(Ink::Accent), 1, Qt::DashLine));
      const double at = m_snapshot->amounts[std::min(m_point, m_snapshot->amounts.size() - 1)];
      mark->point1->setCoords(at, plot.yAxis->range().lower);
      mark->point2->setCoords(at, plot.yAxis->range().upper);
    }
    plot.replot(QCustomPlot::rpQueuedReplot);
  }

 private:
  std::shared_ptr<const WhatIfSnapshot> m_snapshot;
  std::size_t m_point = 0;
};

class WhatIfView final : public QWidget {
 public:
  explicit WhatIfView(Workspace& workspace)
      : m_workspace(workspace),
        m_axis(named(new QComboBox, "whatIfAxis", tr("What is varied"))),
        m_slider(named(new QSlider(Qt::Horizontal), "whatIfSlider", tr("How much"))),
        m_where(named(wrappedLabel(), "whatIfWhere")),
        m_notes(named(textLabel(), "whatIfNotes")),
        m_plot(new WhatIfPlot([this](int point) { m_slider->setValue(point); })),
        m_times(makeWhatIfTable("whatIfTimes", tr("Times of the schedules there"))),
        m_devices(makeWhatIfTable("whatIfDevices", tr("Times of the schedules on devices"))),
        m_refresh(*this, [this] { refresh(); }) {
    m_axis->addItems({tr("larger or smaller data"), tr("more or fewer linear iterations")});
    m_slider->setTickPosition(QSlider::TicksBelow);
    m_slider->setPageStep(1);
    auto* head = makeRow({m_axis, {m_slider, 1}}, {12, 8, 12, 0});
    auto* texts = makeColumn({m_where, m_notes}, {12, 0, 12, 0});
    auto* tables = makeSplitter(Qt::Vertical, {m_plot, m_times, m_devices}, {320, 170, 150});
    setLayout(makeColumn({head, texts, {tables, 1}}, {0, 0, 0, 0}));
    WhatIfModel& model = workspace.whatIf();
    connect(m_axis, &QComboBox::activated, this, [&model](int row) {
      model.setAxis(row == 0 ? WhatIfAxis::Points : WhatIfAxis::LinearIterations);
    });
    connect(m_slider, &QSlider::valueChanged, this, &WhatIfView::showPoint);
    connect(&model, &WhatIfModel::resultChanged, &m_refresh, &ShownRefresh::ask);
    m_refresh.ask();
  }

 private:
  void refresh() {
    const auto& result = m_workspace.whatIf().result();
    const bool isNew = result.value != m_shown;
    const bool isOtherAxis = m_shown == nullptr || result.value == nullptr ||
                             m_shown->quantity != result.value->quantity;
    m_shown = result.value;
    switch (result.state) {
      case RemoteState::Empty: m_where->setText(tr("Open a problem to vary its size.")); break;
      case RemoteState::Failed: m_where->setText(result.error); break;
      case RemoteState::Busy: m_where->setText(tr("Predicting …")); break;
      case RemoteState::Ready: break;
    }
    for (QWidget* part : {static_cast<QWidget*>(m_plot), static_cast<QWidget*>(m_times),
                          static_cast<QWidget*>(m_devices), static_cast<QWidget*>(m_slider)})
      part->setEnabled(m_shown != nullptr);
    if (m_shown == nullptr || m_shown->amounts.empty()) {
      m_plot->show(nullptr, 0);
      m_times->setRowCount(0);
      m_devices->setRowCount(0);
      m_notes->clear();
      return;
    }
    if (isNew) {
      const QSignalBlocker quiet(m_slider);
      m_slider->setRange(0, static_cast<int>(m_shown->amounts.size()) - 1);
      if (isOtherAxis) m_slider->setValue(static_cast<int>(m_shown->here));
      m_notes->setText(m_shown->notes.join(' '));
      fillDevices(*m_shown);
    }
    if (result.state == RemoteState::Ready) showPoint();
  }

  void showPoint() {
    if (m_shown == nullptr || m_shown->amounts.empty()) return;
    const auto point = static_cast<std::size_t>(m_slider->value());
    const QString amount = countText(m_shown->amounts[point]) + ' ' + m_shown->quantity;
    const QString at =
        m_shown->axis == WhatIfAxis::Points
            ? QStringLiteral("%1, %2").arg(m_shown->texts[static_cast<int>(point)], amount)
            : amount;
    m_where->setText(point == m_shown->here ? tr("%1: as it is now").arg(at) : at);
    m_plot->show(m_shown, point);
    fillPoint(*m_shown, point);
  }

  void fillPoint(const WhatIfSnapshot& snapshot, std::size_t point) {
    double least = std::numeric_limits<double>::infinity();
    for (const WhatIfLine& line : snapshot.lines) least = std::min(least, line.seconds[point]);
    m_times->setColumnCount(3);
    m_times->setHorizontalHeaderLabels({tr("schedule"), tr("time there"), tr("× the fastest")});
    m_times->setRowCount(static_cast<int>(snapshot.lines.size()));
    for (std::size_t i = 0; i < snapshot.lines.size(); ++i) {
      const WhatIfLine& line = snapshot.lines[i];
      const int row = static_cast<int>(i);
      const double seconds = line.seconds[point];
      const bool isAnew =
          i + 1 == snapshot.lines.size() && snapshot.devices.front().second.size() == i;
      const QString strategies = snapshot.chosen.value(static_cast<int>(point));
      const QString name = isAnew && !strategies.isEmpty()
                               ? line.name + QStringLiteral(": ") + strategies
                               : line.name;
      m_times->setItem(row, 0, makeWhatIfCell(name, false));
      m_times->setItem(row, 1, makeWhatIfCell(predictedText(seconds), true, seconds == least));
      m_times->setItem(
          row, 2,
          makeWhatIfCell(std::isfinite(seconds) ? significant(seconds / least) : QString(), true));
    }
  }

  void fillDevices(const WhatIfSnapshot& snapshot) {
    QStringList heads = {tr("device")};
    const std::size_t count = snapshot.devices.empty() ? 0 : snapshot.devices.front().second.size();
    for (std::size_t i = 0; i < count; ++i) heads << snapshot.lines[i].name;
    m_devices->setColumnCount(static_cast<int>(heads.size()));
    m_devices->setHorizontalHeaderLabels(heads);
    m_devices->setRowCount(static_cast<int>(snapshot.devices.size()));
    for (std::size_t row = 0; row < snapshot.devices.size(); ++row) {
      const auto& [device, seconds] = snapshot.devices[row];
      const double least = seconds.empty() ? 0 : std::ranges::min(seconds);
      m_devices->setItem(static_cast<int>(row), 0, makeWhatIfCell(device, false));
      for (std::size_t i = 0; i < seconds.size(); ++i)
        m_devices->setItem(static_cast<int>(row), static_cast<int>(i) + 1,
                           makeWhatIfCell(predictedText(seconds[i]), true,
                                          std::isfinite(least) && seconds[i] == least));
    }
  }

  Workspace& m_workspace;
  std::shared_ptr<const WhatIfSnapshot> m_shown;
  QComboBox* m_axis;
  QSlider* m_slider;
  QLabel *m_where, *m_notes;
  WhatIfPlot* m_plot;
  QTableWidget *m_times, *m_devices;
  ShownRefresh m_refresh;
};

}  // namespace

QWidget* makeWhatIfView(Workspace& workspace) { return new WhatIfView(workspace); }

}  // namespace thallo::gui
