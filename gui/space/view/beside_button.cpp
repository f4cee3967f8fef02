#include "gui/space/view/beside_button.h"

#include <map>

#include <QFileDialog>
#include <QFileInfo>

namespace thallo::gui {

BesideButton::BesideButton(SpaceModel& space, QWidget* parent)
    : QToolButton(parent), m_space(space), m_menu(new QMenu(this)) {
  setObjectName("besideButton");
  setText(tr("Beside"));
  setToolTip(tr("Shows the times on other devices beside these"));
  setPopupMode(QToolButton::InstantPopup);
  setMenu(m_menu);
  connect(m_menu, &QMenu::aboutToShow, this, &BesideButton::fill);
  fill();
}

void BesideButton::fill() {
  m_menu->clear();
  if (const auto& space = m_space.space().value) addDevices({}, *space);
  // One space that was read, for each store; null if none was.
  std::map<QString, const BesideSpace*> stores;
  for (const BesideSpace& beside : m_space.beside().all()) {
    if (beside.source.store.isEmpty()) continue;
    const BesideSpace*& known = stores[beside.source.store];
    if (known == nullptr || beside.space.value) known = &beside;
  }
  for (const auto& [store, beside] : stores) {
    m_menu->addSection(QFileInfo(store).fileName())->setToolTip(store);
    if (beside->space.value)
      addDevices(store, *beside->space.value);
    else
      addAction(beside->source, beside->space.state == RemoteState::Busy ? tr("being read …")
                                                                         : tr("nothing was read"));
  }
  m_menu->addSeparator();
  QAction* open = m_menu->addAction(tr("Another store …"));
  open->setObjectName("besideStore");
  connect(open, &QAction::triggered, this, &BesideButton::openStore);
}

void BesideButton::addDevices(const QString& store, const SpaceSnapshot& space) {
  for (const SpaceDevice& device : space.devices) {
    const bool isOfPage = store.isEmpty() && device == space.device;
    if (!isOfPage) addAction({store, device.signature}, device.name);
  }
}

void BesideButton::addAction(const SpaceSource& source, const QString& text) {
  QAction* action = m_menu->addAction(text);
  action->setCheckable(true);
  action->setChecked(m_space.beside().contains(source));
  connect(action, &QAction::toggled, this, [this, source](bool isOn) {
    if (isOn)
      m_space.beside().add(source);
    else
      m_space.beside().remove(source);
  });
}

void BesideButton::openStore() {
  const QString file = QFileDialog::getOpenFileName(
      this, tr("Show a store beside this one"), QFileInfo(m_space.store()).path(),
      tr("Measurement stores (*.store);;All files (*)"));
  if (!file.isEmpty()) m_space.beside().add({.store = file, .device = {}});
}

BesideFaults::BesideFaults(SpaceModel& space, QWidget* parent) : QLabel(parent), m_space(space) {
  setObjectName("besideFaults");
  setWordWrap(true);
  setTextFormat(Qt::RichText);
  setContentsMargins(12, 0, 12, 0);
  connect(&space.beside(), &BesideSpaces::changed, this, &BesideFaults::refresh);
  connect(this, &QLabel::linkActivated, this, [this](const QString& link) {
    if (link == "retry") return m_space.beside().reload();
    const auto sources = m_space.beside().sources();
    const std::size_t i = link.toUInt();
    if (i < sources.size()) m_space.beside().remove(sources[i]);
  });
  refresh();
}

void BesideFaults::refresh() {
  QStringList faults;
  const auto& all = m_space.beside().all();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const RemoteState state = all[i].space.state;
    if (state != RemoteState::Failed && state != RemoteState::Empty) continue;
    const QString why =
        state == RemoteState::Failed
            ? all[i].space.error
            : tr("%1 has no measurements of this problem").arg(m_space.beside().nameOf(all[i]));
    faults.append(QStringLiteral("%1 <a href=\"retry\">%2</a> · <a href=\"%3\">%4</a>")
                      .arg(why.toHtmlEscaped(), tr("try again"))
                      .arg(i)
                      .arg(tr("leave it")));
  }
  setText(faults.join("<br>"));
  setVisible(!faults.isEmpty());
}

}  // namespace thallo::gui
