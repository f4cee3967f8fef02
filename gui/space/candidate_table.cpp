#include "gui/space/candidate_table.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gui/base/text.h"

namespace thallo::gui {
namespace {

constexpr int MostSiteColumns = 6;
constexpr double NoNumber = std::numeric_limits<double>::quiet_NaN();

const TimeColumn* firstModel(const SpaceSnapshot& space) {
  const auto wanted = std::ranges::find(space.predicted, space.model, &TimeColumn::name);
  if (wanted != space.predicted.end()) return &*wanted;
  return space.predicted.empty() ? nullptr : &space.predicted.front();
}

QString secondsOrNothing(double seconds) {
  return std::isnan(seconds) ? QString() : secondsText(seconds);
}

}  // namespace

CandidateTable::CandidateTable(SpaceModel& space) : m_space(space) {
  connect(&space, &SpaceModel::spaceChanged, this, &CandidateTable::refresh);
  connect(&space.beside(), &BesideSpaces::changed, this, &CandidateTable::refreshBeside);
  refresh();
  refreshBeside();
}

void CandidateTable::refresh() {
  if (m_snapshot == m_space.space().value) return;
  beginResetModel();
  m_snapshot = m_space.space().value;
  m_names.assign(m_snapshot ? m_snapshot->size() : 0, QString());
  if (m_snapshot) {
    for (const Mark& mark : m_snapshot->marks) {
      const auto candidate = m_snapshot->find(toQt(mark.hash));
      if (!candidate) continue;
      QString& names = m_names[*candidate];
      names += (names.isEmpty() ? "" : ", ") + toQt(mark.name);
    }
  }
  endResetModel();
}

void CandidateTable::refreshBeside() {
  std::vector<BesideSpace> beside;
  for (const BesideSpace& space : m_space.beside().all())
    if (space.space.value) beside.push_back(space);
  const bool areSame =
      std::ranges::equal(beside, m_beside, {}, &BesideSpace::source, &BesideSpace::source);
  if (!areSame) beginResetModel();
  m_beside = std::move(beside);
  if (!areSame) return endResetModel();
  if (rowCount() == 0 || m_beside.empty()) return;
  Q_EMIT dataChanged(index(0, NumFixed), index(rowCount() - 1, NumFixed + numDevices() - 1));
}

bool CandidateTable::isText(int column) const {
  return column == Names || column == Number || column == Failure || siteOf(column) != nullptr;
}

const BesideSpace* CandidateTable::deviceOf(int column) const {
  const int i = column - NumFixed;
  return i < 0 || i >= numDevices() ? nullptr : &m_beside[static_cast<std::size_t>(i)];
}

const SiteEffect* CandidateTable::siteOf(int column) const {
  const int i = column - NumFixed - numDevices();
  return i < 0 || !m_snapshot ? nullptr : &m_snapshot->effects[static_cast<std::size_t>(i)];
}

int CandidateTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !m_snapshot ? 0 : static_cast<int>(m_snapshot->size());
}

int CandidateTable::columnCount(const QModelIndex& parent) const {
  if (parent.isValid()) return 0;
  const int numSites = m_snapshot ? static_cast<int>(m_snapshot->effects.size()) : 0;
  return NumFixed + numDevices() + std::min(numSites, MostSiteColumns);
}

double CandidateTable::number(std::size_t i, int column) const {
  const SpaceSnapshot& space = *m_snapshot;
  if (const BesideSpace* beside = deviceOf(column)) {
    const bool isKnown = beside->times != nullptr && beside->isOf == m_snapshot;
    return isKnown ? beside->times->seconds[i] : NoNumber;
  }
  switch (column) {
    case Time:
    case OffBest: return space.seconds[i];
    case Predicted: {
      const TimeColumn* model = firstModel(space);
      return model != nullptr ? model->seconds[i] : NoNumber;
    }
    case EndToEnd:
      return measured_seconds(space.candidates[i], ResultKind::EndToEnd).value_or(NoNumber);
    case Memory: {
      const std::int64_t bytes = space.candidates[i].bytes;
      return bytes > 0 ? static_cast<double>(bytes) : NoNumber;
    }
    default: return NoNumber;
  }
}

QString CandidateTable::text(std::size_t i, int column) const {
  const SpaceSnapshot& space = *m_snapshot;
  switch (column) {
    case OffBest: {
      const auto best = space.best();
      if (!best || std::isnan(space.seconds[i])) return {};
      return *best == i ? tr("best") : significant(space.seconds[i] / space.seconds[*best]) + "×";
    }
    case Memory: {
      const double bytes = number(i, column);
      return bytes > 0 ? bytesText(bytes) : QString();
    }
    case Names: return m_names[i];
    case Number: return toQt(space.candidates[i].index.value_or("")).section(':', -1);
    case Failure: return space.failure(i);
    default: break;
  }
  if (const SiteEffect* effect = siteOf(column)) return toQt(effect->choices[effect->chosen[i]]);
  return secondsOrNothing(number(i, column));
}

QVariant CandidateTable::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
  const auto i = static_cast<std::size_t>(index.row());
  switch (role) {
    case Qt::DisplayRole: return text(i, index.column());
    case Qt::ToolTipRole: {
      const QString its = m_snapshot->text(i), failure = m_snapshot->failure(i);
      const QString schedule = its.isEmpty() ? tr("the default schedule: no directive") : its;
      return failure.isEmpty() ? schedule : failure + "\n\n" + schedule;
    }
    case Qt::TextAlignmentRole:
      return QVariant(Qt::AlignVCenter | (isText(index.column()) ? Qt::AlignLeft : Qt::AlignRight));
    case HashRole: return m_snapshot->hash[i];
    case SortRole:
      return isText(index.column()) ? QVariant(text(i, index.column()))
                                    : QVariant(number(i, index.column()));
    default: return {};
  }
}

QVariant CandidateTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  if (role == Qt::TextAlignmentRole)
    return QVariant(Qt::AlignVCenter | (isText(section) ? Qt::AlignLeft : Qt::AlignRight));
  if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
  if (const BesideSpace* beside = deviceOf(section)) {
    if (role == Qt::DisplayRole) return tr("on %1").arg(m_space.beside().nameOf(*beside));
    return tr("Measured on %1").arg(m_space.beside().nameOf(*beside));
  }
  if (const SiteEffect* effect = siteOf(section)) {
    if (role == Qt::DisplayRole) return toQt(effect->site);
    const QString chosen = tr("What is chosen at %1").arg(toQt(effect->site));
    if (!effect->is_significant())
      return tr("%1, which makes no difference that shows").arg(chosen);
    return tr("%1, which explains %2 % of the variance of the time, given the other choices")
        .arg(chosen, significant(100 * effect->explained, 2));
  }
  if (role == Qt::ToolTipRole) {
    const QString tips[NumFixed] = {
        tr("Measured, of a nonlinear iteration with its linear iterations"),
        tr("How many times the time of the fastest"),
        tr("Predicted by the cost model from the generated kernels; times of choices after ≈ are "
           "estimated before lowering, which is rougher"),
        tr("Measured by whole solves, where that was done"),
        tr("All memory that the generated program needs on the device"),
        tr("The names that the schedule has"),
        tr("Its number in the space"),
        tr("Why it has no time")};
    return tips[section];
  }
  const QString titles[NumFixed] = {tr("time"),   tr("of best"), tr("predicted"), tr("end to end"),
                                    tr("memory"), tr("name"),    tr("number"),    tr("failure")};
  return titles[section];
}

ShownCandidates::ShownCandidates(SpaceModel& space, CandidateTable& table)
    : m_space(space), m_table(table) {
  setSourceModel(&table);
  setSortRole(CandidateTable::SortRole);
  connect(&space, &SpaceModel::filterChanged, this, [this] { invalidateFilter(); });
}

bool ShownCandidates::filterAcceptsRow(int row, const QModelIndex& /*parent*/) const {
  const auto i = static_cast<std::size_t>(row);
  return i < m_space.shown().size() && m_space.shown()[i];
}

bool ShownCandidates::lessThan(const QModelIndex& left, const QModelIndex& right) const {
  // Candidates without a value in the column come last, in both orders.
  const bool isAscending = sortOrder() == Qt::AscendingOrder;
  const auto a = static_cast<std::size_t>(left.row()), b = static_cast<std::size_t>(right.row());
  if (m_table.isText(left.column())) {
    const QString textA = m_table.text(a, left.column()), textB = m_table.text(b, left.column());
    if (textA.isEmpty() == textB.isEmpty()) return textA < textB;
    return isAscending == textB.isEmpty();
  }
  const double x = m_table.number(a, left.column()), y = m_table.number(b, left.column());
  if (std::isnan(x) == std::isnan(y)) return x < y;
  return isAscending == std::isnan(y);
}

std::vector<std::size_t> ShownCandidates::candidates() const {
  std::vector<std::size_t> candidates;
  for (int row = 0; row < rowCount(); ++row)
    candidates.push_back(static_cast<std::size_t>(mapToSource(index(row, 0)).row()));
  return candidates;
}

QModelIndex ShownCandidates::find(const QString& hash) const {
  const SpaceSnapshot* space = m_table.snapshot();
  const auto candidate = space != nullptr ? space->find(hash) : std::nullopt;
  return candidate ? mapFromSource(m_table.index(static_cast<int>(*candidate), 0)) : QModelIndex();
}

}  // namespace thallo::gui
