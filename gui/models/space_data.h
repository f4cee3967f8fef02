// What the app shows of the schedules of a problem that were measured on a device. Candidates are
// kept by column, entry i of each column of candidate i, so that views of 10^5 of them are quick.
// Times are seconds of a nonlinear iteration with its linear iterations; NaN where there is none.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <QString>
#include <QStringList>

#include "core/explore/statistics.h"
#include "gui/models/schedule_data.h"

namespace thallo::gui {

// A schedule that is shown among all others, or a position among them.
struct SpaceMark {
  QString name;  // "published-default", "best", "median"
  QString hash;  // of the schedule; empty for the median, which is none
  double seconds = 0;

  friend bool operator==(const SpaceMark&, const SpaceMark&) = default;
};

// Marks at the same time, as one line of a diagram.
struct MarkLine {
  double seconds = 0;
  QStringList names;  // "best" before others
  QString text;       // "best, auto 3.10 ms"; of others how far they are off the best: "opt +4.2 %"
  QString hash;       // of one of them; empty of the median alone
};
std::vector<MarkLine> markLines(const std::vector<SpaceMark>& marks);

// Where the labels of vertical lines go above a diagram, so that none covers another: each in a
// row, counted from the diagram, at the right or the left of its line. In pixels.
struct LabelPlace {
  int row = 0;
  bool isRight = true;
};
std::vector<LabelPlace> placeLabels(const std::vector<double>& lines,
                                    const std::vector<double>& widths, double left, double right);

// A place where schedules decide something, and what each candidate decides there.
struct SiteEffect {
  QString site;                       // "fit:strategy"
  std::vector<QString> choices;       // those that were made, the one with the least median first
  std::vector<double> medians;        // seconds of those that chose it; NaN where none has a time
  std::vector<std::uint16_t> chosen;  // by each candidate, into choices
  // The share of the variance of log time that the choice explains beyond the sites before it,
  // among candidates that have the site: omega squared (effect_size.h).
  double explained = 0;
  // How likely noise alone would make one of all sites look as if it mattered as much.
  double chance = 1;
  std::size_t numTimed = 0;  // candidates with a time that have the site

  bool isSignificant() const { return explained > 0 && chance < 0.05; }
};

// Other times of the candidates than those that were measured: what a cost model says, or what
// another device took.
struct TimeColumn {
  QString name;             // "analytic", "NVIDIA H100"
  bool isPredicted = true;  // by a model; else measured on another device
  std::vector<double>
      seconds;                // NaN: none; infinite: the model says that it does not fit in memory
  std::optional<double> rho;  // Spearman's, of those that have both times
  double medianError = 0;     // of |predicted / measured - 1|; zero for a device
  std::size_t numCompared = 0;  // that have both times
};

// The sites whose choices matter, as far as the candidates tell: those that come first.
std::size_t numSignificant(const std::vector<SiteEffect>& effects);
// What is said beside diagrams of the first `numShown`, also of the others; nothing without sites.
QString effectsText(const std::vector<SiteEffect>& effects, std::size_t numShown);

struct SpaceFailure {
  QString status, reason;  // the reason of one of them; the others differ in numbers alone
  std::size_t count = 0;
};

struct SpaceDevice {
  QString signature, name;

  friend bool operator==(const SpaceDevice&, const SpaceDevice&) = default;
};

struct SpaceSnapshot {
  SpaceDevice device;
  std::vector<SpaceDevice> devices;  // all that the store has results of
  bool isEndToEnd = false;           // times are of whole solves; else sums over steps

  std::vector<QString> hash, index, text, status, reason;  // index and reason are often empty
  std::vector<double> seconds, composed, endToEnd, bytes;
  std::vector<TimeColumn> predicted;   // by model
  std::vector<SiteEffect> effects;     // significant ones first, of both those that explain most
  std::vector<SpaceMark> marks;        // by time
  std::vector<SpaceFailure> failures;  // most frequent first

  std::vector<std::size_t> byTime;  // candidates with a time, the fastest first
  Histogram logBins, linearBins;    // of the times
  Density density;                  // over ln time
  // What the steps of schedules took that were run end to end, by hash and label: one run each.
  std::map<QString, std::map<QString, double>> stepSeconds;

  std::size_t size() const { return hash.size(); }
  std::optional<std::size_t> find(const QString& hash) const;
  // With the mark's name "best"; absent when nothing has a time.
  std::optional<std::size_t> best() const;
};

// Which candidates are shown.
struct SpaceFilter {
  enum class Show { All, Timed, Failed };
  Show show = Show::All;
  std::optional<std::pair<double, double>> seconds;  // from, to
  std::map<QString, QString> choices;                // what was chosen at a site
  QString words;  // in the text, the number, the hash or the reason

  bool isEmpty() const { return *this == SpaceFilter(); }
  friend bool operator==(const SpaceFilter&, const SpaceFilter&) = default;
};
// The times in `there` of the candidates of `here`, found by their hashes.
TimeColumn timesOn(const SpaceSnapshot& there, const SpaceSnapshot& here);

// For each candidate whether the filter lets it through.
std::vector<bool> filtered(const SpaceSnapshot& space, const SpaceFilter& filter);

// A line for each of these candidates, as `thallo report --csv` has it.
QString csvText(const SpaceSnapshot& space, const std::vector<std::size_t>& candidates);

// How many schedules there are.
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
  std::vector<Stage> stages;  // their counts multiply to the total; empty where they do not
  QString note;               // why it is an estimate
};

}  // namespace thallo::gui
