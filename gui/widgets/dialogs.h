// Dialogs that leave their window usable.
#pragma once

#include <QDialog>
#include <QString>

namespace thallo::gui {

// Shows the dialog of that name. `make` makes it if the window has none.
template <class Make>
QDialog* showOnce(QWidget* window, const QString& name, const Make& make) {
  auto* dialog = window->findChild<QDialog*>(name);
  if (dialog == nullptr) {
    dialog = make();
    dialog->setObjectName(name);
  }
  dialog->show();
  dialog->raise();
  return dialog;
}

}  // namespace thallo::gui
