#include "gui/kernels/kernel_table.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "gui/base/text.h"

namespace thallo::gui {
namespace {

// Shown for unknown values.
const QString Unknown = QStringLiteral("–");

std::optional<double> numberOf(const KernelRow& row, int column) {
  switch (column) {
    case KernelTable::Share: return row.runs > 0 ? std::optional(row.share) : std::nullopt;
    case KernelTable::Time: return row.seconds() > 0 ? std::optional(row.seconds()) : std::nullopt;
    case KernelTable::Registers: return row.registers;
    case KernelTable::Stack: return row.stackBytes;
    case KernelTable::Bytes: return row.facts.bytes;
    case KernelTable::Flops: return row.facts.flops;
    case KernelTable::Atomics: return row.facts.atomics;
    default: return std::nullopt;
  }
}

QString textOf(const KernelRow& row, int column) {
  if (column == KernelTable::Kernel) return roleOf(row.label());
  if (column == KernelTable::Part) return partOf(row.facts.shown);
  if (column == KernelTable::Waits) {
    return row.facts.waits.empty() ? Unknown : toQt(to_string(row.facts.waits.front().first));
  }
  const std::optional<double> number = numberOf(row, column);
  if (!number) return Unknown;
  switch (column) {
    case KernelTable::Share: return significant(100 * *number, *number < 0.1 ? 2 : 3) + " %";
    case KernelTable::Time: return secondsText(*number);
    case KernelTable::Stack: return *number > 0 ? bytesText(*number) : QStringLiteral("0");
    case KernelTable::Bytes: return bytesText(*number);
    case KernelTable::Flops: return quantityText(*number, "flop");
    default: return countText(*number);
  }
}

QString tipOf(const KernelRow& row, int column) {
  switch (column) {
    case KernelTable::Share:
      return row.runs > 0
                 ? QObject::tr("%1 runs in a nonlinear iteration").arg(significant(row.runs))
                 : QObject::tr("Runs once a %1, outside of nonlinear iterations")
                       .arg(row.facts.frequency);
    case KernelTable::Time:
      return row.measured ? QObject::tr("%1 measured, %2 predicted")
                                .arg(secondsText(*row.measured), secondsText(row.facts.predicted))
                          : QObject::tr("%1 predicted").arg(secondsText(row.facts.predicted));
    case KernelTable::Waits:
      return row.facts.waits.empty()
                 ? QObject::tr("What it waits for is only predicted for steps of an iteration")
                 : QObject::tr("%1\nWhat would help: %2")
                       .arg(waitsText(row.facts), row.facts.remedy);
    default: return row.label();
  }
}

QVariantList waitsOf(const KernelRow& row) {
  double all = 0;
  for (const auto& [wait, seconds] : row.facts.waits) all += seconds;
  QVariantList waits;
  for (const auto& [wait, seconds] : row.facts.waits)
    waits << QVariant(QVariantList{static_cast<int>(wait), seconds / all});
  return waits;
}

struct Heading {
  const char* name;
  const char* tip;
};
constexpr std::array<Heading, KernelTable::NumColumns> Headings = {{
    {"Kernel", "What the step does; a step without text is one of a library"},
    {"Part", "The residuals, or the intermediate, that the kernel belongs to"},
    {"Share", "Of the time of a nonlinear iteration, with all of its runs in it"},
    {"Time", "One launch: as it was measured, else as it is predicted"},
    {"Waits for",
     "What takes the time of a launch, as it is predicted: the longest first. Point at it to read "
     "what would help"},
    {"Registers", "Of a thread; the more there are, the fewer threads run at the same time"},
    {"Stack",
     "Bytes of a thread that lie in memory: what found no register (red), and arrays of functions "
     "such as sine"},
    {"Bytes", "That one launch must move between memory and caches, if every cache were perfect"},
    {"Flops", "Floating-point operations of one launch"},
    {"Atomics", "Additions to memory of one launch that may meet at one address"},
}};

}  // namespace

bool KernelTable::haveEqualLabels(const KernelSnapshot& other) const {
  return m_snapshot &&
         std::ranges::equal(m_snapshot->rows, other.rows, {}, &KernelRow::label, &KernelRow::label);
}

void KernelTable::setSnapshot(std::shared_ptr<const KernelSnapshot> snapshot) {
  if (snapshot == m_snapshot) return;
  if (snapshot && !snapshot->rows.empty() && haveEqualLabels(*snapshot)) {
    m_snapshot = std::move(snapshot);
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, NumColumns - 1));
    return;
  }
  beginResetModel();
  m_snapshot = std::move(snapshot);
  endResetModel();
}

int KernelTable::rowOf(const QString& label) const {
  if (!m_snapshot) return -1;
  const auto row = std::ranges::find(m_snapshot->rows, label, &KernelRow::label);
  return row == m_snapshot->rows.end() ? -1 : static_cast<int>(row - m_snapshot->rows.begin());
}

int KernelTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !m_snapshot ? 0 : static_cast<int>(m_snapshot->rows.size());
}

int KernelTable::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : NumColumns;
}

QVariant KernelTable::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const KernelRow& row = m_snapshot->rows[static_cast<std::size_t>(index.row())];
  const int column = index.column();
  const bool isText = column == Kernel || column == Part || column == Waits;
  switch (role) {
    case Qt::DisplayRole: return textOf(row, column);
    case Qt::ToolTipRole: return tipOf(row, column);
    case Qt::TextAlignmentRole:
      return QVariant::fromValue(Qt::AlignVCenter | (isText ? Qt::AlignLeft : Qt::AlignRight));
    case SortRole:
      return isText ? QVariant(textOf(row, column)) : QVariant(numberOf(row, column).value_or(-1));
    case LabelRole: return row.label();
    case ShareRole: {
      const double largest = m_snapshot->rows.front().share;
      return largest > 0 ? row.share / largest : 0;
    }
    case MeasuredRole: return row.measured.has_value();
    case WaitsRole: return column == Waits ? QVariant(waitsOf(row)) : QVariant();
    case Qt::AccessibleTextRole:
      return column == Waits ? waitsText(row.facts) : textOf(row, column);
    case FaultRole: return column == Stack && row.spills;
    default: return {};
  }
}

QVariant KernelTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= NumColumns) return {};
  const Heading& heading = Headings[static_cast<std::size_t>(section)];
  if (role == Qt::DisplayRole) return tr(heading.name);
  if (role == Qt::ToolTipRole) return tr(heading.tip);
  if (role == Qt::TextAlignmentRole) {
    return QVariant::fromValue(
        Qt::AlignVCenter | (section <= Part || section == Waits ? Qt::AlignLeft : Qt::AlignRight));
  }
  return {};
}

}  // namespace thallo::gui
