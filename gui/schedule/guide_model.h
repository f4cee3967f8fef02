// The next best moves from the current schedule: of each site the choice that saves most, over all
// sites the best first. Can also take them, one after the other, until nothing helps.
#pragma once

#include <set>
#include <vector>

#include <QObject>
#include <QTimer>

#include "core/explore/space/weighed_choices.h"
#include "gui/schedule/choice_text.h"
#include "gui/schedule/schedule_model.h"

namespace thallo::gui {

class GuideModel final : public QObject {
  Q_OBJECT

 public:
  explicit GuideModel(ScheduleModel& schedule);

  struct Move {
    std::vector<ScheduleEdit> edits;  // several where only together they help
    QString text;                     // what it does: "store sin(Angle)"
    QString split;  // "once +140 µs, linear −5 µs"; empty where it was measured
    QString hash;   // of the schedule that it leads to
    Gain gain;
    QString tip;

    bool isMeasured() const { return gain.change.kind == TimeKind::Measured; }
  };
  // So many are shown.
  static constexpr std::size_t MostShown = MostShownMoves;

  // Empty until the choices of the schedule are weighed, or if nothing helps.
  const std::vector<Move>& moves() const { return m_moves; }
  // The choices and merges that were not weighed, because there are too many.
  std::size_t leftOut() const { return m_leftOut; }
  // True if the choices of the current schedule are weighed.
  bool isWeighed() const { return m_isWeighed; }
  // True if the moves from the current schedule, or from the next one, will be known soon.
  bool isComing() const;

  void take(const Move& move);
  // Tries the move out, so that the strip and the graph show where it leads, after a moment in
  // which nothing else is asked for. endPreview() ends that; so does a change of the schedule.
  void preview(const Move& move);
  void endPreview();
  // Takes the best move, waits for those from there, and so on. Ends when nothing saves half a
  // percent without changing numerics, when a change is refused, or when somebody else changes the
  // schedule. Every step can be undone by itself.
  void follow();
  void stop();
  bool isFollowing() const { return m_isFollowing; }

 Q_SIGNALS:
  void changed();

 private:
  void refresh();
  void followOn();

  ScheduleModel& m_schedule;
  std::vector<Move> m_moves;
  std::vector<ScheduleEdit> m_previewed;  // empty: nothing
  QTimer m_rest;                          // until it is tried out
  std::size_t m_leftOut = 0;
  bool m_isWeighed = false;
  bool m_isFollowing = false;
  std::set<QString> m_seen;  // hashes of the schedules on the way that is followed
  QString m_next;            // the hash where it stands, or that its last move leads to
};

}  // namespace thallo::gui
