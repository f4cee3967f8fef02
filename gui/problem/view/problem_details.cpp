#include "gui/problem/view/problem_details.h"

#include <QFileInfo>
#include <QPointer>
#include <QScrollArea>

#include "gui/problem/energy_draft.h"
#include "gui/problem/view/energy_view.h"
#include "gui/widgets/labels.h"
#include "gui/widgets/layouts.h"
#include "gui/widgets/theme.h"

namespace thallo::gui {
namespace {

QLabel* makeDetail(const char* name) {
  auto* label = named(textLabel(), name);
  return label;
}

}  // namespace

ProblemDetails::ProblemDetails(Workspace& workspace)
    : m_workspace(workspace),
      m_title(makeDetail("problemTitle")),
      m_shows(makeDetail("problemShows")),
      m_source(makeDetail("problemSource")),
      m_device(named(new QComboBox, "deviceChoice", tr("Device"))),
      m_model(named(new QComboBox, "modelChoice", tr("Cost model"))),
      m_open(named(new QPushButton(tr("Open")), "openProblem")),
      m_status(new QWidget),
      m_statusText(makeDetail("problemStatus")),
      m_progress(new QProgressBar),
      m_retry(named(new QPushButton(tr("Try again")), "retryProblem")),
      m_tabs(named(new QTabBar, "problemTabs")),
      m_stack(new QStackedWidget),
      m_form(new OptionForm) {
  setObjectName("problemDetails");
  m_title->setFont(titleFont());
  m_source->setForegroundRole(QPalette::PlaceholderText);
  m_tabs->setDrawBase(false);
  m_tabs->setExpanding(false);
  m_tabs->addTab(tr("Options"));
  m_tabs->addTab(tr("Energy"));
  m_tabs->setTabToolTip(EnergyTab, tr("What is minimized; of the problem that is open"));
  auto* scroll = new QScrollArea;
  scroll->setWidget(m_form);
  scroll->setWidgetResizable(true);
  scroll->setAccessibleName(tr("Options"));
  scroll->viewport()->setAutoFillBackground(false);
  m_form->setAutoFillBackground(false);
  m_form->setContentsMargins(0, 4, 12, 0);
  m_stack->addWidget(scroll);
  m_stack->addWidget(makeEnergyView(workspace));
  connect(m_tabs, &QTabBar::currentChanged, m_stack, &QStackedWidget::setCurrentIndex);
  connect(m_form, &OptionForm::changed, this, [this] {
    m_options[m_name] = m_form->values();
    m_open->setEnabled(!m_form->hasFault());
    checkBindings();
  });
  connect(&m_bindings, &BindingModel::changed, this,
          [this] { m_form->showFacts(m_bindings.facts()); });

  m_openRow = makeOpenRow();
  setLayout(makeColumn({m_title, m_shows, m_source, m_openRow, makeStatus(), m_tabs, {m_stack, 1}},
                       {16, 8, 12, 8}, 6));
  connect(&workspace.problems(), &ProblemModel::catalogChanged, this,
          &ProblemDetails::refreshCatalog);
  connect(&workspace.problems(), &ProblemModel::problemChanged, this,
          &ProblemDetails::refreshProblem);
  refreshDevices();
  refreshCatalog();
  refreshProblem();
}

QWidget* ProblemDetails::makeOpenRow() {
  m_device->setToolTip(tr("The device that times are predicted for; it need not be here"));
  m_device->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  m_model->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  m_open->setDefault(true);
  m_open->setToolTip(tr("Opens the problem with these options (Enter, or a double click)"));
  connect(m_open, &QPushButton::clicked, this, &ProblemDetails::open);
  return makePane(makeRow(
      {m_open, new QLabel(tr("on")), m_device, new QLabel(tr("times by")), m_model, Cell::gap()},
      {0, 4, 0, 0}));
}

QWidget* ProblemDetails::makeStatus() {
  m_progress->setRange(0, 0);
  m_progress->setTextVisible(false);
  m_progress->setFixedHeight(4);
  connect(m_retry, &QPushButton::clicked, this, [this] { m_workspace.retry(); });
  auto* layout = makeColumn({m_statusText, m_progress}, {0, 4, 0, 4}, 4);
  m_status->setLayout(layout);
  layout->addWidget(m_retry, 0, Qt::AlignLeft);
  return m_status;
}

const ProblemCard* ProblemDetails::card() const {
  const auto& catalog = m_workspace.problems().catalog().value;
  return catalog ? catalog->find(m_name) : nullptr;
}

bool ProblemDetails::isOfOpenProblem() const {
  return m_workspace.problems().problem().state != RemoteState::Empty &&
         m_workspace.problems().request().problem == m_name;
}

void ProblemDetails::setProblem(const QString& name) {
  if (name == m_name) return;
  m_name = name;
  refreshCatalog();
  refreshProblem();
}

void ProblemDetails::refreshDevices() {
  const auto& catalog = m_workspace.problems().catalog().value;
  if (!catalog || !m_workspace.problems().knowsDevices()) return;
  if (m_device->count() == static_cast<int>(catalog->devices.size())) return;
  m_device->clear();
  for (const DeviceChoice& device : catalog->devices) {
    const QString what = device.isHere() ? device.source : device.id;
    m_device->addItem(tr("%1 (%2)").arg(device.name, what), device.id);
    m_device->setItemData(m_device->count() - 1, device.source, Qt::ToolTipRole);
  }
  const QString& current = m_workspace.problems().request().device;
  m_device->setCurrentIndex(std::max(m_device->findData(current), 0));
}

void ProblemDetails::refreshModels() {
  const auto& catalog = m_workspace.problems().catalog().value;
  if (!catalog) return;
  QStringList names, docs{tr("The cost model that times are predicted by")}, present;
  for (const NamedPart& model : catalog->models) {
    names.append(model.name);
    docs.append(model.name + ": " + model.doc);
  }
  for (int i = 0; i < m_model->count(); ++i) present.append(m_model->itemText(i));
  if (names == present) return;
  const QString wanted =
      present.isEmpty() ? m_workspace.problems().request().model : m_model->currentText();
  m_model->clear();
  m_model->addItems(names);
  m_model->setToolTip(docs.join('\n'));
  m_model->setCurrentIndex(std::max(m_model->findText(wanted), 0));
}

void ProblemDetails::refreshCatalog() {
  refreshDevices();
  refreshModels();
  const ProblemCard* problem = card();
  m_open->setEnabled(problem != nullptr);
  m_source->setVisible(problem != nullptr);
  if (problem == nullptr) {
    m_shown = {};
    m_title->setText(m_name);
    m_shows->clear();
    m_source->clear();
    m_form->setFields({}, {});
    return readEnergy();
  }
  if (*problem == m_shown) return;
  m_shown = *problem;
  m_title->setText(m_shown.title);
  m_shows->setText(m_shown.shows);
  m_source->setText(m_shown.citation.isEmpty() ? QFileInfo(m_shown.provider).fileName()
                                               : m_shown.citation);
  m_source->setToolTip(tr("provided by %1").arg(m_shown.provider));
  setForm(m_options[m_name]);
}

void ProblemDetails::setForm(const OptionForm::Values& values) {
  m_form->setFields(m_shown.options, values);
  m_open->setEnabled(!m_form->hasFault());
  readEnergy();
}

void ProblemDetails::readEnergy() {
  m_energyOfForm.reset();
  m_bindings.clear();
  m_workspace.analysisRunner().cancel("energy of form");
  if (card() == nullptr || !m_shown.isOfFile()) return checkBindings();
  m_workspace.analysisRunner().start(
      "energy of form",
      [session = m_workspace.problems().session(), name = m_name](const std::stop_token&) {
        return energyOfFileProblem(*session, name);
      },
      [details = QPointer(this)](const Expected<std::shared_ptr<const Energy>>& energy) {
        // What is wrong with the text is said when the problem is opened.
        if (!details || !energy) return;
        details->m_energyOfForm = *energy;
        details->checkBindings();
      });
}

void ProblemDetails::checkBindings() {
  if (m_energyOfForm)
    m_bindings.checkBindings(m_energyOfForm, m_form->texts(), true);
  else
    m_bindings.checkFiles(m_form->files());
}

void ProblemDetails::refreshProblem() {
  const auto& problem = m_workspace.problems().problem();
  if (problem.state == RemoteState::Busy) {
    const ProblemRequest& request = m_workspace.problems().request();
    m_options[request.problem] = request.options;
    if (isOfOpenProblem() && card() != nullptr && m_form->values() != request.options)
      setForm(request.options);
  }
  const bool isMine = isOfOpenProblem();
  const bool isReady = isMine && problem.isReady();
  const bool isBusy = isMine && problem.state == RemoteState::Busy;
  const bool hasFailed = isMine && problem.state == RemoteState::Failed;
  // What is wrong with the text of the energy is said at that text.
  const auto source = isMine ? m_workspace.problems().source() : nullptr;
  const bool isInEnergy = hasFailed && source && source->isFaulty && source->isOwn;
  m_status->setVisible(isBusy || (hasFailed && !isInEnergy));
  m_progress->setVisible(isBusy);
  m_retry->setVisible(hasFailed);
  m_statusText->setForegroundRole(hasFailed ? FaultRole : QPalette::PlaceholderText);
  m_statusText->setText(hasFailed ? problem.error
                                  : tr("Opening: makes the data, and finds the schedule “auto” …"));
  m_open->setText(isReady ? tr("Open again") : tr("Open"));
  m_tabs->setTabEnabled(EnergyTab, source != nullptr);
  m_tabs->setCurrentIndex(isReady || isInEnergy ? EnergyTab : OptionsTab);
}

void ProblemDetails::open() {
  if (card() == nullptr || m_form->hasFault()) return;
  ProblemRequest request{.problem = m_name, .options = m_form->values()};
  if (m_device->currentIndex() >= 0) request.device = m_device->currentData().toString();
  // The first is what is taken where none is named.
  if (m_model->currentIndex() > 0) request.model = m_model->currentText();
  m_workspace.open(request);
}

}  // namespace thallo::gui
