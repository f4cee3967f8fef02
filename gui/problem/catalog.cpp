#include "gui/problem/catalog.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <QByteArray>

#include "core/backend/choose_device_spec.h"
#include "core/base/assets.h"
#include "core/explore/store/store.h"
#include "core/search/search.h"
#include "gui/base/text.h"

namespace thallo::gui {
namespace {

ProblemCard cardOf(const ProblemRegistry::Entry& entry) {
  const ProblemInfo info = entry.item->info();
  return {.name = toQt(entry.name),
          .title = toQt(info.title),
          .shows = toQt(info.shows),
          .citation = toQt(info.citation),
          .provider = toQt(entry.provenance),
          .picture = toQt(info.picture.string()),
          .options = entry.item->options()};
}

// Returns the specs that ship with Thallo.
std::vector<DeviceChoice> shippedDevices() {
  std::vector<DeviceChoice> devices;
  std::error_code error;
  for (const auto& file :
       std::filesystem::directory_iterator(find_asset("devices").value_or(""), error)) {
    if (file.path().extension() != ".toml") continue;
    const std::string id = file.path().stem().string();
    if (const auto spec = named_device_spec(id, "auto"))
      devices.push_back({toQt(id), toQt(spec->name), toQt(spec->backend), toQt(spec->source)});
  }
  std::ranges::sort(devices, {}, &DeviceChoice::id);
  return devices;
}

// Returns the id of the device that the measurements which ship with a problem are of; empty if
// there are none. Of several devices, the first is taken whose own spec was measured.
QString measuredDevice(const QString& problem, const std::vector<DeviceChoice>& devices) {
  const auto path = find_asset("stores/" + problem.toStdString() + ".store");
  if (!path) return {};
  const auto store = MeasurementStore::open(*path, MeasurementStore::Access::Read);
  const auto records = store ? store->list<DeviceRecord>() : std::vector<DeviceRecord>();
  QString found;
  for (const DeviceChoice& device : devices) {
    const bool isIn = records && std::ranges::find(*records, device.name.toStdString(),
                                                   &DeviceRecord::name) != records->end();
    if (isIn && (found.isEmpty() || device.isMeasured())) found = device.id;
    if (isIn && device.isMeasured()) break;
  }
  return found;
}

std::vector<NamedPart> searchesOf(Session& session) {
  std::vector<NamedPart> searches;
  for (const SearchRegistry::Entry* entry : session.searches().entries()) {
    searches.push_back({toQt(entry->name), toQt(entry->item->doc()), entry->item->takes_samples(),
                        entry->item->options()});
  }
  return searches;
}

std::vector<NamedPart> modelsOf(Session& session) {
  std::vector<NamedPart> models;
  for (const CostModelRegistry::Entry* entry : session.cost_models().entries())
    models.push_back({toQt(entry->name), toQt(entry->item->doc())});
  std::ranges::stable_partition(models, [](const NamedPart& model) {
    return model.name == toQt(default_cost_model().name());
  });
  return models;
}

}  // namespace

QString optionFault(const OptionSpec& option, const QString& text) {
  const auto parsed = parse_option(option, text.toStdString());
  return parsed ? QString() : toQt(parsed.error());
}

Expected<Options> readOptions(const std::vector<OptionSpec>& specs,
                              const std::vector<std::pair<QString, QString>>& texts,
                              const std::string& unknown) {
  std::vector<std::pair<QByteArray, QByteArray>> given;
  for (const auto& [name, text] : texts) given.emplace_back(name.toUtf8(), text.toUtf8());
  std::vector<OptionText> views;
  for (const auto& [name, text] : given) views.push_back({name.constData(), text.constData()});
  return read_options(specs, views, unknown);
}

const ProblemCard* Catalog::find(const QString& name) const {
  const auto found = std::ranges::find(problems, name, &ProblemCard::name);
  return found == problems.end() ? nullptr : &*found;
}

const NamedPart* Catalog::findSearch(const QString& name) const {
  const auto found = std::ranges::find(searches, name, &NamedPart::name);
  return found == searches.end() ? nullptr : &*found;
}

int Catalog::numFailed() const {
  return static_cast<int>(std::ranges::count_if(
      plugins, [](const PluginRow& plugin) { return !plugin.fault.isEmpty(); }));
}

const DeviceChoice* Catalog::findDevice(
    const std::function<bool(const DeviceChoice&)>& isWanted) const {
  const auto found = std::ranges::find_if(devices, isWanted);
  return found == devices.end() ? nullptr : &*found;
}

Catalog readCatalog(Session& session) {
  Catalog catalog;
  for (const auto* entry : session.problems().entries()) catalog.problems.push_back(cardOf(*entry));
  std::ranges::sort(catalog.problems, {}, &ProblemCard::name);
  for (const std::string& suffix : energy_suffixes(session.front_ends()))
    catalog.energySuffixes.append(toQt(suffix));
  catalog.searches = searchesOf(session);
  catalog.models = modelsOf(session);
  for (const PluginInfo& plugin : session.plugins().loaded) {
    QStringList adds;
    for (const std::string& item : plugin.adds) adds.append(toQt(item));
    catalog.plugins.push_back(
        {toQt(plugin.path.string()), toQt(plugin.name), toQt(plugin.version), adds, {}});
  }
  for (const PluginFailure& failure : session.plugins().failures)
    catalog.plugins.push_back({toQt(failure.path.string()), {}, {}, {}, toQt(failure.message)});
  catalog.devices = shippedDevices();
  for (ProblemCard& card : catalog.problems)
    card.measured = measuredDevice(card.name, catalog.devices);
  return catalog;
}

}  // namespace thallo::gui
