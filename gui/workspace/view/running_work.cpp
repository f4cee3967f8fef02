#include "gui/workspace/view/running_work.h"

#include <utility>

#include <QMessageBox>
#include <QPushButton>

#include "gui/widgets/layouts.h"

namespace thallo::gui {
namespace {

struct Question {
  const char* name;
  QString title, text, loss;
  // Returns what to say once it has ended; empty while it runs.
  std::function<QString()> ending;
};

// `changed` is emitted by the model when `ending` may have changed.
template <class Model>
void ask(Model& model, void (Model::*changed)(), const Question& question, QWidget* parent,
         std::function<void()> proceed) {
  auto* box = named(new QMessageBox(QMessageBox::Question, question.title, question.text,
                                    QMessageBox::NoButton, parent),
                    question.name);
  box->setInformativeText(question.loss);
  auto* stop = box->addButton(QObject::tr("Stop it and leave"), QMessageBox::DestructiveRole);
  auto* stay = box->addButton(QObject::tr("Stay"), QMessageBox::RejectRole);
  box->setDefaultButton(stay);
  box->setEscapeButton(stay);
  box->setAttribute(Qt::WA_DeleteOnClose);
  QObject::connect(&model, changed, box, [box, stop, ending = question.ending] {
    const QString text = ending();
    if (text.isEmpty()) return;
    box->setText(text);
    box->setInformativeText({});
    stop->setText(QObject::tr("Leave"));
  });
  QObject::connect(box, &QMessageBox::finished, parent, [box, stop, proceed = std::move(proceed)] {
    if (box->clickedButton() == stop) proceed();
  });
  box->open();
}

void askToStopSolving(SolveModel& solve, QWidget* parent, std::function<void()> proceed) {
  if (!solve.isRunning()) return proceed();
  const SolveRun& run = solve.runs().value->runs.back();
  ask(solve, &SolveModel::runsChanged,
      {.name = "runningSolve",
       .title = QObject::tr("A solve is running"),
       .text = QObject::tr("Run %1, of the schedule “%2”, is running.")
                   .arg(run.number)
                   .arg(run.schedule),
       .loss = QObject::tr("What it has reached is lost when it is stopped."),
       .ending =
           [&solve] {
             const auto& runs = solve.runs().value;
             if (!runs || runs->runs.back().state == SolveRun::State::Running) return QString();
             return QObject::tr("Run %1 has ended meanwhile.").arg(runs->runs.back().number);
           }},
      parent, std::move(proceed));
}

void askToStopExploring(ExplorationModel& exploration, QWidget* parent,
                        std::function<void()> proceed) {
  if (!exploration.isUnderWay()) return proceed();
  const ExplorationProgress& at = exploration.progress();
  ask(exploration, &ExplorationModel::changed,
      {.name = "runningExploration",
       .title = QObject::tr("An exploration is not finished"),
       .text = exploration.isRunning() ? QObject::tr("An exploration is running.")
                                       : QObject::tr("An exploration is paused."),
       .loss = QObject::tr("%1 of %2 schedules are explored. What was measured is kept; the rest "
                           "is not explored when it is stopped.")
                   .arg(at.schedulesDone)
                   .arg(at.schedulesTotal),
       .ending =
           [&exploration] {
             return exploration.isUnderWay() ? QString()
                                             : QObject::tr("The exploration has ended meanwhile.");
           }},
      parent, std::move(proceed));
}

}  // namespace

void askToStopMeasuring(SpaceModel& space, QWidget* parent, std::function<void()> proceed) {
  askToStopExploring(space.exploration(), parent, [&space, parent, proceed = std::move(proceed)] {
    MeasurementModel& measurement = space.measurement();
    if (!measurement.isRunning()) return proceed();
    ask(measurement, &MeasurementModel::changed,
        {.name = "runningMeasurement",
         .title = QObject::tr("A measurement is running"),
         .text = QObject::tr("The schedule “%1” is being measured.").arg(measurement.name()),
         .loss = QObject::tr("It has no time when the measurement is stopped."),
         .ending =
             [&measurement] {
               return measurement.isRunning() ? QString()
                                              : QObject::tr("The measurement has ended meanwhile.");
             }},
        parent, proceed);
  });
}

void askToStop(Workspace& workspace, QWidget* parent, std::function<void()> proceed) {
  askToStopSolving(workspace.solve(), parent, [&workspace, parent, proceed = std::move(proceed)] {
    askToStopMeasuring(workspace.space(), parent, proceed);
  });
}

}  // namespace thallo::gui
