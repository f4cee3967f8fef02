#include "gui/space/shipped_store.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <QDir>
#include <QFile>
#include <QFileInfo>

#include "core/base/assets.h"
#include "core/explore/store/store.h"

namespace thallo::gui {
namespace {

using Access = MeasurementStore::Access;
// Signatures of a problem and a device.
using Pairs = std::set<std::pair<std::string, std::string>>;

Expected<void> copyTo(const QString& store, const std::filesystem::path& shipped) {
  QDir().mkpath(QFileInfo(store).path());
  QFile file(QString::fromStdString(shipped.string()));
  if (!file.copy(store)) {
    return fail("{} cannot be written: {}", store.toStdString(), file.errorString().toStdString());
  }
  // A copy of an installed file may be read-only like the original.
  QFile::setPermissions(store,
                        QFile::ReadOwner | QFile::WriteOwner | QFile::ReadGroup | QFile::ReadOther);
  return {};
}

Expected<Pairs> measuredIn(const MeasurementStore& store) {
  THALLO_TRY(const auto results, store.list<ScheduleResult>());
  Pairs pairs;
  for (const ScheduleResult& result : results)
    pairs.emplace(result.slot.problem, result.slot.device);
  return pairs;
}

Expected<void> addMissing(const std::filesystem::path& path, const MeasurementStore& shipped) {
  THALLO_TRY(const auto its, measuredIn(shipped));
  auto own = MeasurementStore::open(path, Access::Read);
  if (!own) return fail(own.error());
  THALLO_TRY(const auto known, measuredIn(*own));
  std::vector<StoreRecord> missing;
  for (const auto& [problem, device] : its) {
    if (known.contains({problem, device})) continue;
    THALLO_TRY(auto records, shipped.records({problem, device}));
    std::ranges::move(records, std::back_inserter(missing));
  }
  if (missing.empty()) return {};
  own = MeasurementStore::open(path, Access::Write);
  if (!own) return fail(own.error());
  const auto added = own->add(missing, Existing::Keep);
  return added ? Expected<void>() : fail(added.error());
}

}  // namespace

Expected<void> addShipped(const QString& store, const QString& problem) {
  const auto path = find_asset("stores/" + problem.toStdString() + ".store");
  if (!path) return {};
  if (!QFile::exists(store)) return copyTo(store, *path);
  THALLO_TRY(const auto shipped, MeasurementStore::open(*path, Access::Read));
  return addMissing(store.toStdString(), shipped);
}

}  // namespace thallo::gui
