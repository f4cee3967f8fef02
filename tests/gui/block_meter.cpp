#include "tests/gui/block_meter.h"

#include <ctime>

#include <algorithm>
#include <chrono>
#include <functional>
#include <utility>

#include <QCoreApplication>
#include <QEvent>
#include <QMetaEnum>

#include "gui/base/text.h"

namespace thallo::test {
namespace {

using namespace std::chrono_literals;

double usedMs() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e6;
}

}  // namespace

BlockMeter::BlockMeter() {
  connect(&m_turn, &QTimer::timeout, this, &BlockMeter::look);
  // Turns within a millisecond count as one. A timer that always fires would keep a processor busy.
  m_turn.setTimerType(Qt::PreciseTimer);
  m_turn.start(1ms);
  begin();
  QCoreApplication::instance()->installEventFilter(this);
}

void BlockMeter::excuse() { m_isExcused = true; }

void BlockMeter::begin() {
  m_longest = m_current = {};
  m_turnBegan = m_eventBegan = usedMs();
}

QString BlockMeter::Block::text() const {
  constexpr std::size_t MostNamed = 3;
  std::vector<Part> largest = parts;
  std::ranges::stable_sort(largest, std::greater<>(), &Part::ms);
  QStringList words;
  for (std::size_t i = 0; i < std::min(largest.size(), MostNamed); ++i)
    words.append(QStringLiteral("%1 %2 ms").arg(largest[i].event, gui::significant(largest[i].ms)));
  return words.join(QStringLiteral(", "));
}

void BlockMeter::look() {
  const double now = usedMs();
  endEvent(now);
  m_current.ms = now - m_turnBegan;
  if (!std::exchange(m_isExcused, false) && m_current.ms > m_longest.ms)
    m_longest = std::exchange(m_current, {});
  m_current = {};
  m_turnBegan = now;
}

void BlockMeter::endEvent(double now) {
  constexpr double LeastMs = 1;
  const double ms = now - m_eventBegan;
  m_eventBegan = now;
  if (ms < LeastMs) return;
  const char* type = QMetaEnum::fromType<QEvent::Type>().valueToKey(m_type);
  QString event =
      QStringLiteral("%1 of %2")
          .arg(type == nullptr ? QString::number(m_type) : QString(type), QString(m_class));
  // Qt's own names say nothing of where it is.
  const QObject* named = m_object;
  while (named != nullptr &&
         (named->objectName().isEmpty() || named->objectName().startsWith("qt_")))
    named = named->parent();
  if (named != nullptr) event += QStringLiteral(" in ") + named->objectName();
  m_current.parts.push_back({event, ms});
}

bool BlockMeter::eventFilter(QObject* watched, QEvent* event) {
  endEvent(usedMs());
  m_type = event->type();
  m_class = watched->metaObject()->className();
  m_object = watched;
  return false;
}

}  // namespace thallo::test
