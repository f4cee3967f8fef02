#include "gui/app/linked_page.h"

#include <memory>

#include <QComboBox>

#include "gui/graph/view/graph_page.h"
#include "gui/kernels/view/kernel_code.h"
#include "gui/problem/view/energy_highlighter.h"
#include "gui/widgets/code_view.h"
#include "gui/widgets/labels.h"
#include "gui/widgets/layouts.h"
#include "gui/widgets/theme.h"

namespace thallo::gui {
namespace {

class LinkedPage final : public Page {
 public:
  explicit LinkedPage(Workspace& workspace)
      : Page(workspace, "linked", tr("Linked")),
        m_energy(named(new CodeView, "linkedEnergy", tr("Energy"))),
        m_highlighter(new EnergyHighlighter(m_energy->document())),
        m_graph(new GraphPage(workspace)),
        m_steps(named(new QComboBox, "linkedStep", tr("Kernel to show"))),
        m_code(new KernelCode),
        m_refresh(*this, [this] { showEnergy(); }) {
    setContent(
        makeSplitter(Qt::Horizontal, {makeEnergy(), m_graph, makeKernel()}, {360, 360, 400}));
    setFocusProxy(m_energy);
    setAction(tr("Try again"), [this] { this->workspace().kernels().retry(); });
    connect(m_energy, &CodeView::lineChosen, this, [this](int line) { selectLine(line + 1); });
    connect(m_code, &KernelCode::lineChosen, this, &LinkedPage::selectLine);
    connect(m_steps, &QComboBox::activated, this, [this](int row) {
      this->workspace().selection().select(
          {Selection::Kind::Step, m_steps->itemData(row).toString()});
    });
    connect(&workspace.problems(), &ProblemModel::problemChanged, &m_refresh, &ShownRefresh::ask);
    connect(&workspace.kernels(), &KernelModel::kernelsChanged, this, &LinkedPage::showKernels);
    connect(&workspace.links(), &LinkModel::changed, this, &LinkedPage::onLinked);
    connect(&workspace.selection(), &SelectionModel::changed, this, &LinkedPage::onLinked);
    onThemeChange(*this, [this] {
      m_highlighter->rehighlight();
      onLinked();
    });
    showKernels();
  }

  bool isSettled() const override {
    const auto& schedule = workspace().schedule().schedule().value;
    return Page::isSettled() && schedule && m_kernels &&
           m_kernels->scheduleHash == schedule->hash && m_graph->isSettled();
  }

  int itemCount() const override { return m_energy->blockCount(); }  // lines of the energy

 protected:
  void showEvent(QShowEvent* event) override {
    Page::showEvent(event);
    workspace().kernels().setWanted(this, true);
  }

  void hideEvent(QHideEvent* event) override {
    Page::hideEvent(event);
    workspace().kernels().setWanted(this, false);
  }

 private:
  QWidget* makeEnergy() {
    auto* title = titleLabel(tr("Energy"));
    title->setContentsMargins(12, 8, 12, 8);
    title->setBuddy(m_energy);
    return makePane(makeColumn({title, {m_energy, 1}}, {0, 0, 0, 0}, 0));
  }

  QWidget* makeKernel() {
    m_steps->setToolTip(
        tr("The kernel that is shown; those that belong to the selection are marked"));
    m_steps->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    return makePane(
        makeColumn({makeColumn({m_steps}, {12, 6, 12, 0}), {m_code, 1}}, {0, 0, 0, 0}, 0));
  }

  void showEnergy() {
    const auto& problem = workspace().problems().problem().value;
    if (problem == m_problem) return light();
    m_problem = problem;
    if (m_problem)
      m_highlighter->setEnergy(EnergyForm::Written, m_problem->symbols, m_problem->source.words);
    m_energy->setPlainText(m_problem ? m_problem->source.text : QString());
    light();
  }

  void showKernels() {
    const auto& kernels = workspace().kernels().kernels();
    follow(kernels, tr("Open a problem to see its energy, graph and kernels side by side."),
           tr("Generating the kernels …"));
    m_kernels = kernels.value;
    onLinked();
  }

  void onLinked() {
    m_refresh.askFor([this] { light(); });
  }

  void light() {
    const LinkedParts& linked = workspace().links().linked();
    std::vector<int> lines;
    for (const int line : linked.lines) lines.push_back(line - 1);
    m_energy->setLinked(lines);
    const Selection& selection = workspace().selection().current();
    const QString label =
        m_kernels ? kernelToShow(selection, linked, *m_kernels, m_steps->currentData().toString())
                  : QString();
    m_steps->clear();
    if (m_kernels) {
      for (const KernelRow& row : m_kernels->rows) {
        if (row.text.isEmpty()) continue;
        m_steps->addItem(row.facts.shown, row.label());
        if (linked.hasStep(row.label()))
          m_steps->setItemData(m_steps->count() - 1, linkedFormat().background(),
                               Qt::BackgroundRole);
      }
    }
    m_steps->setCurrentIndex(m_steps->findData(label));
    m_code->setStep(m_kernels, label, nullptr);
    m_code->setLinked(selection.kind == Selection::Kind::Step ? std::set<int>() : linked.lines);
  }

  void selectLine(int line) {
    workspace().selection().select({Selection::Kind::Line, QString::number(line)});
  }

  std::shared_ptr<const ProblemSnapshot> m_problem;
  std::shared_ptr<const KernelSnapshot> m_kernels;
  CodeView* m_energy;
  EnergyHighlighter* m_highlighter;
  GraphPage* m_graph;
  QComboBox* m_steps;
  KernelCode* m_code;
  ShownRefresh m_refresh;
};

}  // namespace

Page* makeLinkedPage(Workspace& workspace) { return new LinkedPage(workspace); }

}  // namespace thallo::gui
