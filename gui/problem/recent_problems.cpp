#include "gui/problem/recent_problems.h"

#include <utility>

#include <QSettings>

#include "gui/problem/local_devices.h"

namespace thallo::gui {
namespace {

constexpr const char* RecentKey = "recent";

std::vector<RecentProblem> readRecent() {
  std::vector<RecentProblem> all;
  QSettings settings;
  const int count = settings.beginReadArray(RecentKey);
  for (int i = 0; i < count; ++i) {
    settings.setArrayIndex(i);
    RecentProblem recent;
    recent.request.problem = settings.value("problem").toString();
    recent.request.device = settings.value("device").toString();
    recent.request.model = settings.value("model").toString();
    recent.file = settings.value("file").toString();
    const QStringList options = settings.value("options").toStringList();
    for (const QString& option : options)
      recent.request.options.emplace_back(option.section('=', 0, 0), option.section('=', 1));
    all.push_back(std::move(recent));
  }
  return all;
}

void writeRecent(const std::vector<RecentProblem>& all) {
  QSettings settings;
  settings.remove(RecentKey);
  settings.beginWriteArray(RecentKey);
  for (std::size_t i = 0; i < all.size(); ++i) {
    settings.setArrayIndex(static_cast<int>(i));
    settings.setValue("problem", all[i].request.problem);
    settings.setValue("device", all[i].request.device);
    settings.setValue("model", all[i].request.model);
    settings.setValue("file", all[i].file);
    QStringList options;
    for (const auto& [name, value] : all[i].request.options) options.append(name + '=' + value);
    settings.setValue("options", options);
  }
  settings.endArray();
}

}  // namespace

QString RecentProblem::text() const {
  QStringList parts{request.problem};
  for (const auto& [name, value] : request.options) parts.append(name + '=' + value);
  parts.append(deviceText(request.device));
  return parts.join(QStringLiteral(" · "));
}

RecentProblems::RecentProblems() : m_all(readRecent()) {}

void RecentProblems::add(const RecentProblem& problem) {
  std::vector<RecentProblem> all = m_all;
  std::erase(all, problem);
  all.insert(all.begin(), problem);
  if (all.size() > Capacity) all.resize(Capacity);
  replace(std::move(all));
}

void RecentProblems::clear() { replace({}); }

void RecentProblems::replace(std::vector<RecentProblem> all) {
  if (all == m_all) return;
  beginResetModel();
  m_all = std::move(all);
  endResetModel();
  writeRecent(m_all);
}

int RecentProblems::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_all.size());
}

QVariant RecentProblems::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const RecentProblem& recent = m_all[static_cast<std::size_t>(index.row())];
  if (role == Qt::DisplayRole) return recent.text();
  if (role == Qt::ToolTipRole) return recent.file.isEmpty() ? recent.text() : recent.file;
  return {};
}

}  // namespace thallo::gui
