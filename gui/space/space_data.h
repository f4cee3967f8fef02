// What the app shows about the schedules of a problem that were measured on a device. What views of
// 10^5 candidates go by is stored by column: entry i of every column belongs to candidate i. Times
// are seconds per nonlinear iteration including its linear iterations; NaN if there is none.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <QString>

#include "core/explore/measure/statistics.h"
#include "core/explore/plot/label_rows.h"
#include "core/explore/report/candidates_csv.h"
#include "core/explore/report/mark_lines.h"
#include "core/explore/report/report.h"
#include "core/explore/report/search_curves.h"
#include "gui/schedule/schedule_data.h"

namespace thallo::gui {

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

struct SpaceDevice {
  QString signature, name;

  friend bool operator==(const SpaceDevice&, const SpaceDevice&) = default;
};

// A run of a search that the store has recorded.
struct RunCurve {
  // The search, with what tells the run from others: "beam, width=8", "random, seed 2".
  QString label;
  SearchCurve curve;  // improves at least once

  // "beam: 1.20 ms after 40 schedules in 12 s"
  QString summary() const;
};
// Returns the latest runs that found a schedule by times of this kind, the latest one last; eight
// at most.
std::vector<RunCurve> runCurves(std::vector<SearchRunRecord> runs, ResultKind kind);

struct SpaceSnapshot {
  SpaceDevice device;
  std::vector<SpaceDevice> devices;        // all devices that the store has results of
  ResultKind kind = ResultKind::Composed;  // of the times

  std::vector<Candidate> candidates;
  std::vector<QString> hash;  // of each of them
  std::vector<double> seconds;
  std::vector<TimeColumn> predicted;   // one for each model
  QString model;                       // the model that the problem was opened with
  std::vector<SiteEffect> effects;     // significant sites first, sorted by what they explain
  std::vector<Mark> marks;             // those that have a time, sorted by it
  std::vector<FailureGroup> failures;  // the most frequent first

  std::vector<std::size_t> byTime;  // candidates with a time, the fastest first
  Histogram logBins, linearBins;    // of the times
  Density density;                  // over ln time
  // The measured times of the steps of schedules that were solved, or measured by themselves; by
  // hash, then by label.
  std::map<QString, std::map<QString, MeasuredTimes::Step>> steps;
  std::map<QString, double> spreads;  // of `seconds`, as in MeasuredTimes; by hash
  std::vector<RunCurve> runs;         // of searches, on the device; the latest one last

  std::size_t size() const { return candidates.size(); }
  // The text of a candidate's schedule, without the last line end.
  QString text(std::size_t candidate) const;
  // Why a candidate has no time: "failed: out of memory"; empty if it did not fail.
  QString failure(std::size_t candidate) const;
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
