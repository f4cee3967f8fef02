#include "gui/problem/view/unsaved_energy.h"

#include <utility>

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>

#include "gui/base/text.h"
#include "gui/widgets/layouts.h"

namespace thallo::gui {
namespace {

using Then = std::function<void()>;

void askElsewhere(EnergyText& energy, QWidget* parent, const QString& why, bool mayOverwrite,
                  Then saved);

void saveTo(const QString& file, EnergyText& energy, QWidget* parent, Then saved) {
  if (const auto written = energy.saveAs(file); !written)
    askElsewhere(energy, parent, toQt(written.error()), false, std::move(saved));
  else
    saved();
}

void askForName(EnergyText& energy, QWidget* parent, Then saved) {
  const QFileInfo its(energy.file());
  askForEnergyFile(parent, QObject::tr("Save the energy"),
                   energy.file().isEmpty() ? QStringLiteral("my_energy.lua")
                                           : its.dir().filePath("copy_of_" + its.fileName()),
                   [&energy, parent, saved = std::move(saved)](const QString& file) {
                     saveTo(file, energy, parent, saved);
                   });
}

// Says why the text could not be saved to its file, and offers alternatives.
void askElsewhere(EnergyText& energy, QWidget* parent, const QString& why, bool mayOverwrite,
                  Then saved) {
  auto* box = named(new QMessageBox(QMessageBox::Warning, QObject::tr("The energy is not saved"),
                                    why, QMessageBox::Cancel, parent),
                    "energyNotSaved");
  box->setAttribute(Qt::WA_DeleteOnClose);
  auto* copy = box->addButton(QObject::tr("Save a copy …"), QMessageBox::AcceptRole);
  auto* overwrite = mayOverwrite
                        ? box->addButton(QObject::tr("Overwrite"), QMessageBox::DestructiveRole)
                        : nullptr;
  box->setDefaultButton(copy);
  QObject::connect(box, &QMessageBox::finished, parent,
                   [&energy, parent, box, copy, overwrite, saved = std::move(saved)] {
                     if (box->clickedButton() == copy)
                       askForName(energy, parent, saved);
                     else if (overwrite != nullptr && box->clickedButton() == overwrite)
                       saveTo(energy.file(), energy, parent, saved);
                   });
  box->open();
}

}  // namespace

void askForEnergyFile(QWidget* parent, const QString& title, const QString& suggested,
                      std::function<void(const QString& file)> chosen) {
  auto* dialog = named(new QFileDialog(parent, title), "saveEnergyAs");
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  const QString suffix = QFileInfo(suggested).suffix();
  dialog->setDefaultSuffix(suffix);
  dialog->setNameFilter(QObject::tr("Energies (*.%1)").arg(suffix));
  dialog->selectFile(suggested);
  QObject::connect(dialog, &QFileDialog::fileSelected, parent, std::move(chosen));
  dialog->open();
}

void saveEnergy(EnergyText& energy, QWidget* parent, Then saved) {
  if (energy.file().isEmpty()) return askForName(energy, parent, std::move(saved));
  QString why;
  if (energy.isChangedElsewhere())
    why = QObject::tr("%1 was changed by another program since it was opened here.");
  else if (energy.text().trimmed().isEmpty())
    why = QObject::tr("Nothing is left of the energy in %1.");
  if (why.isEmpty()) return saveTo(energy.file(), energy, parent, std::move(saved));
  askElsewhere(energy, parent, why.arg(energy.file()), true, std::move(saved));
}

void askToSave(EnergyText& energy, QWidget* parent, Then proceed) {
  if (!energy.isUnsaved()) return proceed();
  const QString file = QFileInfo(energy.file()).fileName();
  auto* box =
      new QMessageBox(QMessageBox::Question, QObject::tr("The energy is not saved"),
                      file.isEmpty() ? QObject::tr("The energy has changes that are not saved.")
                                     : QObject::tr("%1 has changes that are not saved.").arg(file),
                      QMessageBox::Save | QMessageBox::Discard | QMessageBox::Cancel, parent);
  box->setObjectName("unsavedEnergy");
  box->setInformativeText(energy.file());
  box->setDefaultButton(QMessageBox::Save);
  box->setAttribute(Qt::WA_DeleteOnClose);
  QObject::connect(box, &QMessageBox::finished, parent,
                   [&energy, parent, proceed = std::move(proceed)](int answer) {
                     if (answer == QMessageBox::Save) return saveEnergy(energy, parent, proceed);
                     if (answer != QMessageBox::Discard) return;
                     energy.discard();
                     proceed();
                   });
  box->open();
}

}  // namespace thallo::gui
