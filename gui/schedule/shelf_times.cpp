#include "gui/schedule/shelf_times.h"

#include "gui/base/text.h"
#include "gui/schedule/schedule_edits.h"

namespace thallo::gui {

void ShelfTimes::start(JobRunner& runner, std::shared_ptr<OpenProblem> problem,
                       const ScheduleShelf& shelf, std::function<void()> known) {
  m_times.clear();
  QStringList texts;
  for (const Kept& kept : shelf.all()) texts.append(kept->text);
  if (texts.isEmpty()) return;
  runner.start(
      Slot,
      [problem = std::move(problem), texts](const std::stop_token&) -> Expected<Times> {
        Times times;
        for (const QString& text : texts) {
          const auto made = readSchedule(*problem, text);
          times[text] = made ? ShelfTime{made->hash, made->time.nonlinear}
                             : ShelfTime{.illegal = toQt(made.error())};
        }
        return times;
      },
      [this, known = std::move(known)](Expected<Times> times) {
        m_times.merge(*times);
        known();
      });
}

const ShelfTime* ShelfTimes::of(const Kept& kept) const {
  const auto known = m_times.find(kept->text);
  return known == m_times.end() ? nullptr : &known->second;
}

}  // namespace thallo::gui
