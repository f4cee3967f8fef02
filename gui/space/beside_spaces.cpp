#include "gui/space/beside_spaces.h"

#include <algorithm>
#include <utility>

#include <QFileInfo>

#include "gui/base/text.h"

namespace thallo::gui {
namespace {

constexpr const char* Comparing = "beside times";

QString slotOf(const SpaceSource& source) { return "beside " + source.id(); }

}  // namespace

QString BesideSpaces::nameOf(const BesideSpace& space) const {
  const QFileInfo file(space.source.store);
  if (!space.space.value)
    return space.source.store.isEmpty() ? space.source.device : file.fileName();
  const QString& device = space.space.value->device.name;
  const auto isOther = [&](const BesideSpace& other) {
    return other.space.value && other.source != space.source &&
           other.space.value->device.name == device;
  };
  const bool isOfPage = m_reference && m_reference->device.name == device;
  const bool isTaken = isOfPage || std::ranges::any_of(m_spaces, isOther);
  if (!isTaken || space.source.store.isEmpty()) return device;
  const bool hasSameFile = std::ranges::any_of(m_spaces, [&](const BesideSpace& other) {
    return isOther(other) && QFileInfo(other.source.store).fileName() == file.fileName();
  });
  return QStringLiteral("%1, %2").arg(device, hasSameFile ? space.source.store : file.fileName());
}

BesideSpace* BesideSpaces::find(const SpaceSource& source) {
  const auto found = std::ranges::find(m_spaces, source, &BesideSpace::source);
  return found == m_spaces.end() ? nullptr : &*found;
}

bool BesideSpaces::contains(const SpaceSource& source) const {
  return std::ranges::find(m_spaces, source, &BesideSpace::source) != m_spaces.end();
}

void BesideSpaces::add(const SpaceSource& source) {
  if (contains(source)) return;
  m_spaces.push_back({source});
  read(m_spaces.back());
  Q_EMIT changed();
}

void BesideSpaces::remove(const SpaceSource& source) {
  const auto numRemoved =
      std::erase_if(m_spaces, [&](const BesideSpace& space) { return space.source == source; });
  if (numRemoved == 0) return;
  m_runner.cancel(slotOf(source));
  Q_EMIT changed();
}

std::vector<SpaceSource> BesideSpaces::sources() const {
  std::vector<SpaceSource> sources;
  for (const BesideSpace& space : m_spaces) sources.push_back(space.source);
  return sources;
}

void BesideSpaces::setSources(const std::vector<SpaceSource>& wanted) {
  if (wanted == sources()) return;
  clear();
  for (const SpaceSource& source : wanted)
    if (!contains(source)) m_spaces.push_back({source});
  reload();
}

void BesideSpaces::clear() {
  for (const BesideSpace& space : m_spaces) m_runner.cancel(slotOf(space.source));
  m_spaces.clear();
  Q_EMIT changed();
}

void BesideSpaces::begin(Read read) {
  m_read = std::move(read);
  std::vector<SpaceSource> kept = sources();
  std::erase_if(kept, [](const SpaceSource& source) { return source.store.isEmpty(); });
  clear();
  setSources(kept);
}

bool BesideSpaces::isBusy() const {
  return m_comparing.isBusy(Comparing) ||
         std::ranges::any_of(m_spaces, [](const BesideSpace& space) {
           return space.space.state == RemoteState::Busy;
         });
}

void BesideSpaces::reload() {
  for (BesideSpace& space : m_spaces) read(space);
  if (!m_spaces.empty()) Q_EMIT changed();
}

void BesideSpaces::setReference(std::shared_ptr<const SpaceSnapshot> reference) {
  if (reference == m_reference) return;
  m_reference = std::move(reference);
  compare();
}

void BesideSpaces::read(BesideSpace& space) {
  if (!m_read) {
    m_runner.cancel(slotOf(space.source));
    space.space = {};
    return;
  }
  space.space = space.space.busy();
  m_runner.start(
      slotOf(space.source),
      [read = m_read, source = space.source](const std::stop_token&) { return read(source); },
      [this, source = space.source](Expected<std::optional<SpaceSnapshot>> its) {
        take(source, std::move(its));
      });
}

void BesideSpaces::take(const SpaceSource& source, Expected<std::optional<SpaceSnapshot>> read) {
  BesideSpace* space = find(source);
  if (space == nullptr) return;
  if (!read) {
    space->space = space->space.failed(toQt(read.error()));
  } else if (*read && source.device.isEmpty()) {
    return takeAll(source, **std::move(read));
  } else if (!*read || (*read)->device.signature != source.device) {
    *space = {source};
  } else {
    space->space = Remote<SpaceSnapshot>::ready(**std::move(read));
  }
  Q_EMIT changed();
  compare();
}

// Replaces the entry of a whole store by entries of its devices.
void BesideSpaces::takeAll(const SpaceSource& source, SpaceSnapshot read) {
  const std::vector<SpaceDevice> devices = read.devices;
  const QString first = read.device.signature;
  std::erase_if(m_spaces, [&](const BesideSpace& space) { return space.source == source; });
  if (const SpaceSource its = {source.store, first}; !contains(its))
    m_spaces.push_back({its, Remote<SpaceSnapshot>::ready(std::move(read))});
  for (const SpaceDevice& device : devices) add({source.store, device.signature});
  Q_EMIT changed();
  compare();
}

void BesideSpaces::compare() {
  std::vector<std::pair<SpaceSource, std::shared_ptr<const SpaceSnapshot>>> others;
  for (const BesideSpace& space : m_spaces)
    if (space.space.value) others.emplace_back(space.source, space.space.value);
  if (!m_reference || others.empty()) return m_comparing.cancel(Comparing);
  using Columns = std::vector<std::pair<SpaceSource, std::shared_ptr<const TimeColumn>>>;
  m_comparing.start(
      Comparing,
      [here = m_reference, others](const std::stop_token&) -> Expected<Columns> {
        Columns columns;
        for (const auto& [source, there] : others)
          columns.emplace_back(source, std::make_shared<TimeColumn>(timesOn(*there, *here)));
        return columns;
      },
      [this, here = m_reference](const Expected<Columns>& columns) {
        if (!columns) return;
        for (const auto& [source, times] : *columns) {
          BesideSpace* space = find(source);
          if (space == nullptr) continue;
          space->times = times;
          space->isOf = here;
        }
        Q_EMIT changed();
      });
}

}  // namespace thallo::gui
