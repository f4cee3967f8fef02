// What the app shows about the schedules of a problem that were measured on a device. Candidates
// are stored by column (entry i of every column belongs to candidate i), so that views of 10^5
// candidates are fast. Times are seconds per nonlinear iteration including its linear iterations;
// NaN if there is none.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <QString>
#include <QStringList>

#include "core/explore/measure/statistics.h"
#include "core/explore/report/choice_effects.h"
#include "gui/schedule/schedule_data.h"
#include "gui/space/run_curves.h"

namespace thallo::gui {

// A schedule that is highlighted among all others, or a position among them such as the median.
struct SpaceMark {
  QString name;  // "published-default", "best", "median"
  QString hash;  // of the schedule; empty for the median
  double seconds = 0;

  friend bool operator==(const SpaceMark&, const SpaceMark&) = default;
};

// Marks with the same time, which share a line of a diagram.
struct MarkLine {
  double seconds = 0;
  QStringList names;  // "best" comes first
  QString text;       // "best, auto 3.10 ms"; for others how far from the best: "opt +4.2 %"
  QString hash;       // of one of the schedules; empty for the median alone
};
std::vector<MarkLine> markLines(const std::vector<SpaceMark>& marks);

// Positions of the labels of vertical lines above a diagram, so that no label covers another. Each
// label is in a row, counted from the diagram, to the right or to the left of its line. In pixels.
struct LabelPlace {
  int row = 0;
  bool isRight = true;
};
std::vector<LabelPlace> placeLabels(const std::vector<double>& lines,
                                    const std::vector<double>& widths, double left, double right);

// Times of the candidates from another source than the measurements: a cost model or another
// device.
struct TimeColumn {
  QString name;                 // "roofline", "NVIDIA H100"
  bool isPredicted = true;      // by a model; false: measured on another device
  std::vector<double> seconds;  // NaN: none; infinite: predicted not to fit into memory
  std::optional<double> rho;    // Spearman's rho over candidates with both times
  double medianError = 0;       // median of |predicted / measured - 1|; 0 for a device
  std::size_t numCompared = 0;  // candidates with both times
};

// Returns the number of sites with a significant effect; these come first.
std::size_t numSignificant(const std::vector<SiteEffect>& effects);
// Returns the text beside the diagrams of the first `numShown` sites, which also covers the others;
// empty if there are no sites.
QString effectsText(const std::vector<SiteEffect>& effects, std::size_t numShown);

struct SpaceFailure {
  QString status, reason;  // the reason of one; the others differ only in numbers
  std::size_t count = 0;
};

struct SpaceDevice {
  QString signature, name;

  friend bool operator==(const SpaceDevice&, const SpaceDevice&) = default;
};

struct SpaceSnapshot {
  SpaceDevice device;
  std::vector<SpaceDevice> devices;  // all devices that the store has results of
  bool isEndToEnd = false;           // true: whole solves; false: sums over steps

  std::vector<QString> hash, index, text, status, reason;  // index and reason are often empty
  std::vector<double> seconds, composed, endToEnd, bytes;
  std::vector<TimeColumn> predicted;   // one for each model
  QString model;                       // the model that the problem was opened with
  std::vector<SiteEffect> effects;     // significant sites first, sorted by what they explain
  std::vector<SpaceMark> marks;        // sorted by time
  std::vector<SpaceFailure> failures;  // the most frequent first

  std::vector<std::size_t> byTime;  // candidates with a time, the fastest first
  Histogram logBins, linearBins;    // of the times
  Density density;                  // over ln time
  // The measured times of the steps of schedules that were solved, or measured by themselves; by
  // hash, then by label.
  std::map<QString, std::map<QString, MeasuredTimes::Step>> steps;
  std::map<QString, double> spreads;  // of `seconds`, as in MeasuredTimes; by hash
  std::vector<RunCurve> runs;         // of searches, on the device; the latest one last

  std::size_t size() const { return hash.size(); }
  std::optional<std::size_t> find(const QString& hash) const;
  // Returns the candidate with the mark "best"; absent if nothing has a time.
  std::optional<std::size_t> best() const;
};

// Selects the candidates to show.
struct SpaceFilter {
  enum class Show { All, Timed, Failed };
  Show show = Show::All;
  std::optional<std::pair<double, double>> seconds;  // a range
  std::map<QString, QString> choices;                // the choice required at a site
  QString words;  // searched in the text, number, hash and reason

  bool isEmpty() const { return *this == SpaceFilter(); }
  friend bool operator==(const SpaceFilter&, const SpaceFilter&) = default;
};
// Returns the times in `there` of the candidates of `here`, matched by hash.
TimeColumn timesOn(const SpaceSnapshot& there, const SpaceSnapshot& here);

// Returns for each candidate whether it passes the filter.
std::vector<bool> filtered(const SpaceSnapshot& space, const SpaceFilter& filter);

// Returns a line for each of these candidates, in the format of `thallo report --csv`.
QString csvText(const SpaceSnapshot& space, const std::vector<std::size_t>& candidates);

// The number of schedules in a space.
struct SpaceCounts {
  struct Site {
    QString name, count;
  };
  struct Stage {
    QString name, count;
    std::vector<Site> sites;
  };
  QString space;  // "full", "published"
  QString id;
  QString total;              // "1,824", "1.2e+20", "about 2.2e+31"
  std::vector<Stage> stages;  // counts that multiply to the total; empty if they do not
  QString note;               // why it is an estimate
};

}  // namespace thallo::gui
