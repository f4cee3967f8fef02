#include "gui/schedule/schedule_comparison.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <QObject>

#include "gui/base/text.h"

namespace thallo::gui {
namespace {

// Numbers that differ by less than this share are called the same.
constexpr double SameTime = 5e-3;

int directionOf(double from, double to) {
  if (from == to) return 0;
  if (!std::isfinite(from) || !std::isfinite(to)) return to < from ? -1 : 1;
  return std::abs(to - from) < SameTime * std::abs(from) ? 0 : to < from ? -1 : 1;
}

// Causes that change less than this share of the time are shown together.
constexpr double LeastCause = 2e-3;
// Of a cause, so many steps are named.
constexpr std::size_t MostNamedSteps = 5;

class Comparison {
 public:
  Comparison(const ComparedSchedule& other, const ComparedSchedule& current,
             const TimeChangeCauses& causes)
      : m_other(other),
        m_current(current),
        m_change(changeBetween(other.time, current.time)),
        m_causes(causes) {}

  ScheduleComparison make() const {
    ScheduleComparison result{.other = m_other.name, .current = m_current.name};
    if (m_other.text == m_current.text) {
      result.summary =
          QObject::tr("%1 and %2 are the same schedule.").arg(m_current.name, m_other.name);
      return result;
    }
    const double before = m_change.from, now = m_change.to;
    result.direction = directionOf(before, now);
    const QString ratio = ratioText(before, now);
    result.summary = QObject::tr("%1 takes %2, %3 takes %4")
                         .arg(m_current.name, timeText(now, isMeasured(m_current)), m_other.name,
                              timeText(before, isMeasured(m_other)));
    if (!ratio.isEmpty()) result.summary += QStringLiteral(": ") + ratio;
    if (m_change.kind == TimeKind::Scaled)
      result.summary += QObject::tr(" (≈ is estimated, scaled by a measured time)");
    result.from = before;
    result.to = now;
    result.causes = causes();
    const auto add = [&result](const QString& title, std::vector<ComparisonRow> rows) {
      if (!rows.empty()) result.sections.push_back({title, std::move(rows)});
    };
    add(QObject::tr("Totals"), totals());
    add(QObject::tr("Decisions that differ"), decisions());
    add(QObject::tr("Steps, all runs in a nonlinear iteration"), steps());
    add(QObject::tr("Buffers that differ"), buffers());
    return result;
  }

 private:
  // True if the displayed time of the schedule was measured.
  static bool isMeasured(const ComparedSchedule& schedule) {
    return schedule.time.measured.has_value();
  }
  // Returns the factor that scales predicted times of parts of a schedule to the displayed time of
  // the whole.
  static double scaleOf(const TimeEstimate& time, double shown) {
    const bool isKnown = time.nonlinear > 0 && std::isfinite(time.nonlinear);
    return isKnown ? shown / time.nonlinear : 1;
  }

  ComparisonRow timeRow(const QString& what, double other, double current, bool areMeasured) const {
    return {.what = what,
            .other = timeText(other, areMeasured),
            .current = timeText(current, areMeasured),
            .change = ratioText(other, current),
            .direction = directionOf(other, current)};
  }
  ComparisonRow bytesRow(const QString& what, double other, double current) const {
    const int direction = directionOf(other, current);
    return {.what = what,
            .other = bytesText(other),
            .current = bytesText(current),
            .change = direction == 0 ? QObject::tr("the same")
                                     : signedText(direction, bytesText(std::abs(current - other))),
            .direction = direction};
  }
  // Makes a row for something that only one of the two schedules has.
  ComparisonRow onlyRow(const QString& what, const QString& text, bool isInOther) const {
    return {.what = what,
            .other = isInOther ? text : QString(),
            .current = isInOther ? QString() : text,
            .change = QObject::tr("only in %1").arg(isInOther ? m_other.name : m_current.name),
            .direction = isInOther ? -1 : 1,
            .in = isInOther ? ComparisonRow::In::Other : ComparisonRow::In::Current};
  }

  std::vector<ComparisonRow> totals() const {
    ComparisonRow all =
        timeRow(QObject::tr("nonlinear iteration"), m_change.from, m_change.to, false);
    all.other = timeText(m_change.from, isMeasured(m_other));
    all.current = timeText(m_change.to, isMeasured(m_current));
    return {
        all,
        timeRow(QObject::tr("linear iteration"),
                m_other.time.linear * scaleOf(m_other.time, m_change.from),
                m_current.time.linear * scaleOf(m_current.time, m_change.to), false),
        bytesRow(QObject::tr("memory on the device"), m_other.time.bytes, m_current.time.bytes)};
  }

  // Where both times were measured, the predicted causes are scaled as the sum of both times is,
  // and what is left over is said to be the model's error.
  std::vector<ChangeCause> causes() const {
    const double predicted = m_causes.from + m_causes.to;
    const double shown = m_change.from + m_change.to;
    if (m_causes.causes.empty() || !std::isfinite(shown) || !(predicted > 0)) return {};
    const double scale = shown / predicted;
    const double least = LeastCause * std::max(m_change.from, m_change.to);
    std::vector<ChangeCause> result;
    double explained = 0;
    ChangeCause others{.name = QObject::tr("other causes")};
    for (const CauseOfChange& its : m_causes.causes) {
      const double seconds = scale * its.seconds;
      explained += seconds;
      if (std::abs(seconds) < least) {
        others.seconds += seconds;
        others.steps << toQt(its.sentence);
        continue;
      }
      ChangeCause cause{.cause = its.cause,
                        .name = toQt(to_string(its.cause)),
                        .seconds = seconds,
                        .sentence = sentenceOf(its, scale)};
      for (const StepChange& step : its.steps) {
        if (cause.steps.size() == MostNamedSteps) break;
        cause.steps << stepText(step, scale);
      }
      result.push_back(std::move(cause));
    }
    if (std::abs(others.seconds) >= 0.1 * least) result.push_back(std::move(others));
    const double left = m_change.to - m_change.from - explained;
    if (std::abs(left) > 0.1 * least) {
      result.push_back(
          {.name = QObject::tr("model error"),
           .seconds = left,
           .sentence = QObject::tr("what was measured differs from what is predicted by as much")});
    }
    return result;
  }
  // Like the cause's own sentence, with the scaled time of the step that it names.
  static QString sentenceOf(const CauseOfChange& cause, double scale) {
    const auto main = std::ranges::find_if(cause.steps, [&cause](const StepChange& step) {
      return (step.seconds > 0) == (cause.seconds > 0);
    });
    const bool isNamed = main != cause.steps.end() && cause.sentence.ends_with(main->sentence);
    return isNamed ? stepText(*main, scale) : toQt(cause.sentence);
  }
  static QString stepText(const StepChange& step, double scale) {
    const QString change = signedText(step.seconds, secondsText(std::abs(scale * step.seconds)));
    return step.step.empty()
               ? toQt(step.sentence)
               : QStringLiteral("%1 %2: %3").arg(toQt(step.step), change, toQt(step.sentence));
  }

  static const Decision* findDecision(const std::vector<Decision>& decisions, const QString& site) {
    const auto found = std::ranges::find(decisions, site, &Decision::site);
    return found == decisions.end() ? nullptr : &*found;
  }
  static QString choiceText(const Decision& decision) {
    return decision.isDefault ? QObject::tr("%1 (default)").arg(decision.choice) : decision.choice;
  }
  std::vector<ComparisonRow> decisions() const {
    std::vector<ComparisonRow> rows;
    for (const Decision& now : m_current.decisions) {
      const Decision* before = findDecision(m_other.decisions, now.site);
      if (before != nullptr && before->choice != now.choice) {
        rows.push_back({.what = now.site,
                        .other = choiceText(*before),
                        .current = choiceText(now),
                        .change = QObject::tr("another choice")});
      } else if (before == nullptr && !now.isDefault) {
        rows.push_back(onlyRow(now.site, now.choice, false));
        rows.back().direction = 0;
      }
    }
    for (const Decision& before : m_other.decisions) {
      if (before.isDefault || findDecision(m_current.decisions, before.site) != nullptr) continue;
      rows.push_back(onlyRow(before.site, before.choice, true));
      rows.back().direction = 0;
    }
    return rows;
  }

  // A step may have several stretches in an iteration.
  struct Step {
    double predicted = 0, measured = 0;
    bool isMeasured = true;
    double seconds() const { return isMeasured ? measured : predicted; }
  };
  static std::map<QString, Step> stepsOf(const TimeEstimate& time, double shown) {
    const double scale = scaleOf(time, shown);
    std::map<QString, Step> steps;
    for (const TimeSegment& segment : time.segments) {
      Step& step = steps[segment.label];
      step.predicted += segment.runs * segment.predicted * scale;
      step.measured += segment.runs * segment.measured.value_or(0);
      step.isMeasured = step.isMeasured && segment.measured.has_value();
    }
    return steps;
  }
  std::vector<ComparisonRow> steps() const {
    const auto other = stepsOf(m_other.time, m_change.from);
    const auto current = stepsOf(m_current.time, m_change.to);
    std::map<QString, Step> all = other;
    all.insert(current.begin(), current.end());
    std::vector<std::pair<double, ComparisonRow>> rows;  // with the size of the change
    for (const auto& [label, step] : all) {
      const auto before = other.find(label), now = current.find(label);
      ComparisonRow row;
      double difference = step.seconds();
      if (before != other.end() && now != current.end()) {
        const bool areMeasured = before->second.isMeasured && now->second.isMeasured;
        const double from = areMeasured ? before->second.measured : before->second.predicted;
        const double to = areMeasured ? now->second.measured : now->second.predicted;
        row = timeRow(label, from, to, areMeasured);
        difference = std::abs(to - from);
      } else {
        row = onlyRow(label, timeText(step.seconds(), step.isMeasured), now == current.end());
      }
      row.isStep = true;
      rows.emplace_back(difference, std::move(row));
    }
    std::ranges::stable_sort(rows, std::ranges::greater(), &decltype(rows)::value_type::first);
    std::vector<ComparisonRow> result;
    for (auto& [difference, row] : rows) result.push_back(std::move(row));
    return result;
  }

  std::vector<ComparisonRow> buffers() const {
    std::vector<ComparisonRow> rows;
    const auto find = [](const ComparedSchedule& schedule, const std::string& name) {
      const auto found = std::ranges::find(schedule.buffers, name, &StoredBuffer::name);
      return found == schedule.buffers.end() ? nullptr : &*found;
    };
    for (const StoredBuffer& now : m_current.buffers) {
      const StoredBuffer* before = find(m_other, now.name);
      if (before == nullptr)
        rows.push_back(onlyRow(toQt(now.name), bytesText(now.bytes), false));
      else if (before->bytes != now.bytes)
        rows.push_back(bytesRow(toQt(now.name), before->bytes, now.bytes));
    }
    for (const StoredBuffer& before : m_other.buffers) {
      if (find(m_current, before.name) == nullptr)
        rows.push_back(onlyRow(toQt(before.name), bytesText(before.bytes), true));
    }
    return rows;
  }

  const ComparedSchedule& m_other;
  const ComparedSchedule& m_current;
  TimeChange m_change;
  const TimeChangeCauses& m_causes;
};

}  // namespace

ScheduleComparison compareSchedules(const ComparedSchedule& other, const ComparedSchedule& current,
                                    const TimeChangeCauses& causes) {
  return Comparison(other, current, causes).make();
}

}  // namespace thallo::gui
