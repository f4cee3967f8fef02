#include "gui/workspace/view/pins_button.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QMenu>

#include "gui/widgets/layouts.h"

namespace thallo::gui {

PinsButton::PinsButton(PinModel& pins) : m_pins(pins), m_menu(named(new QMenu(this), "pinsMenu")) {
  setObjectName("pinsButton");
  setMenu(m_menu);
  setPopupMode(QToolButton::InstantPopup);
  connect(m_menu, &QMenu::aboutToShow, this, &PinsButton::fill);
  connect(&pins, &PinModel::changed, this, &PinsButton::refresh);
  refresh();
}

void PinsButton::refresh() {
  const auto& all = m_pins.all();
  setVisible(!all.empty());
  setText(all.size() == 1 ? tr("1 site pinned") : tr("%1 sites pinned").arg(all.size()));
  setToolTip(tr("Explorations keep these decisions:\n%1").arg(m_pins.text().trimmed()));
}

void PinsButton::fill() {
  m_menu->clear();
  for (const PinnedSite& pin : m_pins.all()) {
    QAction* its = m_menu->addAction(tr("Leave open: %1, pinned to %2").arg(pin.shown, pin.choice));
    connect(its, &QAction::triggered, this, [this, id = pin.id()] { m_pins.unpin(id); });
  }
  m_menu->addSeparator();
  connect(m_menu->addAction(tr("Leave all sites open")), &QAction::triggered, &m_pins,
          &PinModel::clear);
  connect(m_menu->addAction(tr("Copy as schedule text")), &QAction::triggered, this,
          [this] { QGuiApplication::clipboard()->setText(m_pins.text()); });
}

}  // namespace thallo::gui
