// The widget by which people decide at a site: one kind for each kind of editor that a construct
// may have, and so for constructs that nobody here has heard of. It shows what each choice would
// cost; one that is not legal is gray, says why on hover, and tells so when it is asked for.
#pragma once

#include <QWidget>

#include "gui/models/choice_text.h"
#include "gui/models/schedule_model.h"

namespace thallo::gui {

class SiteEditor : public QWidget {
  Q_OBJECT

 public:
  explicit SiteEditor(ScheduleModel& schedule) : m_schedule(schedule) {}

  // The site as it is now, again whenever more is known of it or something else is chosen. It has
  // the kind of editor that this was made for. The table is the one that it is of.
  void setSite(const SiteRow& site, const SiteTable& table) {
    m_site = site;
    refresh(table);
  }

 Q_SIGNALS:
  // Why what was asked for is not done; empty: nothing was asked for that cannot be.
  void told(const QString& why);
  // Another site, which this editor shows beside its own, is to be looked at: its SiteRow::id().
  void siteAsked(const QString& id);

 protected:
  ScheduleModel& schedule() const { return m_schedule; }
  const SiteRow& site() const { return m_site; }
  virtual void refresh(const SiteTable& table) = 0;
  // Takes the choice, or tells why not.
  void choose(std::size_t choice);

 private:
  ScheduleModel& m_schedule;
  SiteRow m_site;
};

SiteEditor* makeSiteEditor(EditorKind kind, ScheduleModel& schedule);

}  // namespace thallo::gui
