#include "gui/solve/view/running_solve.h"

#include <utility>

#include <QMessageBox>
#include <QPushButton>

namespace thallo::gui {

void askToStop(SolveModel& solve, QWidget* parent, std::function<void()> proceed) {
  if (!solve.isRunning()) return proceed();
  const SolveRun& run = solve.runs().value->runs.back();
  auto* box = new QMessageBox(
      QMessageBox::Question, QObject::tr("A solve is running"),
      QObject::tr("Run %1, of the schedule “%2”, is running.").arg(run.number).arg(run.schedule),
      QMessageBox::NoButton, parent);
  box->setObjectName("runningSolve");
  box->setInformativeText(QObject::tr("What it has reached is lost when it is stopped."));
  auto* stop = box->addButton(QObject::tr("Stop it and leave"), QMessageBox::DestructiveRole);
  auto* stay = box->addButton(QObject::tr("Stay"), QMessageBox::RejectRole);
  box->setDefaultButton(stay);
  box->setEscapeButton(stay);
  box->setAttribute(Qt::WA_DeleteOnClose);
  QObject::connect(&solve, &SolveModel::runsChanged, box, [&solve, box, stop] {
    const auto& runs = solve.runs().value;
    if (!runs || runs->runs.back().state == SolveRun::State::Running) return;
    box->setText(QObject::tr("Run %1 has ended meanwhile.").arg(runs->runs.back().number));
    box->setInformativeText({});
    stop->setText(QObject::tr("Leave"));
  });
  QObject::connect(box, &QMessageBox::finished, parent, [box, stop, proceed = std::move(proceed)] {
    if (box->clickedButton() == stop) proceed();
  });
  box->open();
}

}  // namespace thallo::gui
