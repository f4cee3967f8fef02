#include "gui/schedule/guide_model.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace thallo::gui {
namespace {

// What a move must save to be taken without being asked.
constexpr double LeastFollowed = 0.005;
// The pointer must rest so long before a move is tried out.
constexpr std::chrono::milliseconds Rest{250};

// Weighing gives the chosen choice of every site a time, unless it stores more than is allowed.
bool isWeighedTable(const SiteTable& table) {
  return std::ranges::any_of(table.sites, [](const SiteRow& site) {
    return !site.choices.empty() && site.choices[site.chosen].change.has_value();
  });
}

}  // namespace

GuideModel::GuideModel(ScheduleModel& schedule) : m_schedule(schedule) {
  connect(&schedule, &ScheduleModel::sitesChanged, this, &GuideModel::refresh);
  connect(&schedule, &ScheduleModel::scheduleChanged, this, &GuideModel::refresh);
  connect(&schedule, &ScheduleModel::refused, this, &GuideModel::stop);
  m_rest.setSingleShot(true);
  m_rest.setInterval(Rest);
  connect(&m_rest, &QTimer::timeout, this, [this] { m_schedule.tryOut(m_previewed); });
}

void GuideModel::refresh() {
  m_moves.clear();
  if (m_schedule.isChanging()) {
    m_rest.stop();
    m_previewed.clear();
  }
  const auto& now = m_schedule.schedule().value;
  const auto& table = m_schedule.sites().value;
  m_isWeighed = now && table && table->hash == now->hash && !m_schedule.isChanging() &&
                isWeighedTable(*table);
  m_leftOut = m_isWeighed ? table->leftOut : 0;
  if (m_isWeighed) {
    std::set<QString> hashes;  // several sites can lead to one schedule
    for (const SiteRow& site : table->sites) {
      const auto gain = gainAt(site);
      if (!gain) continue;
      const ChoiceRow& choice = site.choices[gain->choice];
      if (!hashes.insert(choice.hash).second) continue;
      const bool isMeasured = gain->change.kind == TimeKind::Measured;
      m_moves.push_back(
          {.edits = {{.construct = site.construct, .site = site.name, .label = choice.label}},
           .text = moveText(site, gain->choice),
           .split = isMeasured ? QString() : splitText(site, gain->choice),
           .hash = choice.hash,
           .gain = *gain,
           .tip = choiceTip(site, gain->choice)});
    }
    for (const OtherMove& row : table->moves) {
      const auto gain = gainOf(row);
      if (!gain || !hashes.insert(row.hash).second) continue;
      const bool isMeasured = gain->change.kind == TimeKind::Measured;
      Move move{.edits = {{.directives = row.directives}},
                .text = row.text,
                .split = isMeasured ? QString() : splitText(*table, row),
                .hash = row.hash,
                .gain = *gain,
                .tip = row.tip};
      if (!row.then.empty()) move.edits.push_back({.directives = row.then});
      m_moves.push_back(std::move(move));
    }
    std::ranges::stable_sort(m_moves, [](const Move& a, const Move& b) { return b.gain < a.gain; });
  }
  if (m_isFollowing && m_isWeighed) followOn();
  Q_EMIT changed();
}

bool GuideModel::isComing() const {
  return m_schedule.isChanging() || (m_schedule.schedule().value && !m_schedule.areSitesWeighed());
}

void GuideModel::take(const Move& move) {
  m_rest.stop();
  m_previewed.clear();
  m_schedule.change(move.edits);
}

void GuideModel::preview(const Move& move) {
  if (move.edits == m_previewed) return;
  endPreview();
  m_previewed = move.edits;
  m_rest.start();
}

void GuideModel::endPreview() {
  m_rest.stop();
  if (std::exchange(m_previewed, {}).empty()) return;
  m_schedule.endTrial();
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
