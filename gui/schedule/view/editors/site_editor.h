// The widget in which people decide at a site. There is one class for each kind of editor that a
// construct may declare, so constructs of unknown plugins can be edited, too. It shows what each
// choice would cost. An illegal choice is gray, explains itself on hover, and reports the reason if
// it is chosen.
#pragma once

#include <QWidget>

#include "gui/schedule/choice_text.h"
#include "gui/schedule/schedule_model.h"

namespace thallo::gui {

class SiteEditor : public QWidget {
  Q_OBJECT

 public:
  explicit SiteEditor(ScheduleModel& schedule) : m_schedule(schedule) {}

  // Shows the current state of the site. Called again whenever more is known about the site or
  // another choice is made. The site must have the kind of editor that this widget was made for,
  // and belong to the table.
  void setSite(const SiteRow& site, const SiteTable& table) {
    m_site = site;
    refresh(table);
  }

 Q_SIGNALS:
  // Emitted with the reason why a request was not carried out; with an empty text if there is no
  // such request.
  void told(const QString& why);
  // Emitted when the user wants to see another site that this editor displays beside its own. `id`
  // is its SiteRow::id().
  void siteAsked(const QString& id);

 protected:
  ScheduleModel& schedule() const { return m_schedule; }
  const SiteRow& site() const { return m_site; }
  virtual void refresh(const SiteTable& table) = 0;
  // Takes the choice, or reports why it cannot be taken.
  void choose(std::size_t choice);

 private:
  ScheduleModel& m_schedule;
  SiteRow m_site;
};

SiteEditor* makeSiteEditor(EditorKind kind, ScheduleModel& schedule);
// One for each kind.
SiteEditor* makeChoiceCards(ScheduleModel& schedule);
SiteEditor* makeChoiceList(ScheduleModel& schedule);
SiteEditor* makeNumbersForm(ScheduleModel& schedule);
SiteEditor* makeOrderList(ScheduleModel& schedule);
SiteEditor* makePartitionBoard(ScheduleModel& schedule);

}  // namespace thallo::gui
