#include "gui/schedule/schedule_text.h"

#include <QHash>
#include <QRegularExpression>

#include "gui/base/text.h"

namespace thallo::gui {
namespace {

// Returns a statement without comments and white space.
QString bare(const QString& line) {
  static const QRegularExpression Space("\\s");
  const qsizetype comment = line.indexOf("--");
  QString statement = comment < 0 ? line : line.left(comment);
  return statement.remove(Space);
}

}  // namespace

std::vector<TextFault> readFaults(const Diagnostic& fault) {
  static const QRegularExpression Placed("^[^:]*:(\\d+):(?:(\\d+):)? (.*)$");
  const QString message = toQt(fault);
  std::vector<TextFault> faults;
  // A message can contain several faults, one per line. A line without a place belongs to the fault
  // before it.
  for (const QString& line : message.split('\n', Qt::SkipEmptyParts)) {
    const auto match = Placed.match(line);
    if (match.hasMatch()) {
      faults.push_back({match.captured(1).toInt(), match.captured(2).toInt(), match.captured(3)});
    } else if (!faults.empty()) {
      faults.back().text += '\n' + line;
    } else {
      faults.push_back({fault.where.line, fault.where.column, line});
    }
  }
  return faults;
}

QStringList sitesOfLines(const QString& text, const SiteTable& table) {
  QHash<QString, QString> siteOf;
  for (const SiteRow& site : table.sites)
    siteOf.insert(bare(site.choices[site.chosen].directive), site.id());
  QStringList ids;
  for (const QString& line : text.split('\n')) {
    const QString statement = bare(line);
    ids.append(statement.isEmpty() ? QString() : siteOf.value(statement));
  }
  return ids;
}

}  // namespace thallo::gui
