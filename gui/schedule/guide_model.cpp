#include "gui/schedule/guide_model.h"

#include <algorithm>

namespace thallo::gui {
namespace {

// What a move must save to be taken without being asked.
constexpr double LeastFollowed = 0.005;

// Weighing gives the chosen choice of every site a time, unless it stores more than is allowed.
bool isWeighedTable(const SiteTable& table) {
  return std::ranges::any_of(table.sites, [](const SiteRow& site) {
    return !site.choices.empty() && site.choices[site.chosen].change.has_value();
  });
}

}  // namespace

GuideModel::GuideModel(ScheduleModel& schedule, QObject* parent)
    : QObject(parent), m_schedule(schedule) {
  connect(&schedule, &ScheduleModel::sitesChanged, this, &GuideModel::refresh);
  connect(&schedule, &ScheduleModel::scheduleChanged, this, &GuideModel::refresh);
  connect(&schedule, &ScheduleModel::refused, this, &GuideModel::stop);
}

void GuideModel::refresh() {
  m_moves.clear();
  const auto& now = m_schedule.schedule().value;
  const auto& table = m_schedule.sites().value;
  m_isWeighed = now && table && table->hash == now->hash && !m_schedule.isChanging() &&
                isWeighedTable(*table);
  if (m_isWeighed) {
    std::set<QString> hashes;  // several sites can lead to one schedule
    for (const SiteRow& site : table->sites) {
      const auto gain = gainAt(site);
      if (!gain) continue;
      const ChoiceRow& choice = site.choices[gain->choice];
      if (!hashes.insert(choice.hash).second) continue;
      m_moves.push_back({.construct = site.construct,
                         .site = site.name,
                         .label = choice.label,
                         .hash = choice.hash,
                         .gain = *gain,
                         .tip = choiceTip(site, gain->choice)});
    }
    std::ranges::stable_sort(m_moves, [](const Move& a, const Move& b) { return b.gain < a.gain; });
  }
  if (m_isFollowing && m_isWeighed) followOn();
  Q_EMIT changed();
}

void GuideModel::take(const Move& move) {
  m_schedule.choose(move.construct, move.site, move.label);
}

void GuideModel::follow() {
  const auto& now = m_schedule.schedule().value;
  if (!now) return;
  m_isFollowing = true;
  m_seen.clear();
  m_next = now->hash;
  refresh();
}

void GuideModel::stop() {
  if (!m_isFollowing) return;
  m_isFollowing = false;
  Q_EMIT changed();
}

void GuideModel::followOn() {
  const QString& hash = m_schedule.schedule().value->hash;
  if (hash != m_next || !m_seen.insert(hash).second || m_moves.empty() ||
      m_moves.front().gain.changesNumerics || m_moves.front().gain.share < LeastFollowed) {
    m_isFollowing = false;
    return;
  }
  const Move best = m_moves.front();
  m_next = best.hash;
  take(best);
}

}  // namespace thallo::gui
