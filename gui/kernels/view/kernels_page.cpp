#include "gui/kernels/view/kernels_page.h"

#include <QGridLayout>
#include <QLabel>

#include "gui/base/text.h"
#include "gui/kernels/view/kernel_code.h"
#include "gui/kernels/view/kernel_list.h"
#include "gui/kernels/view/roofline_plot.h"
#include "gui/widgets/labels.h"
#include "gui/widgets/layouts.h"
#include "gui/workspace/view/compare_box.h"

namespace thallo::gui {
namespace {

QString languageOf(const KernelSnapshot& snapshot) {
  if (snapshot.backend == "cuda") return QObject::tr("CUDA for %1").arg(snapshot.architecture);
  if (snapshot.backend == "cpu") return QObject::tr("C for %1").arg(snapshot.architecture);
  return QObject::tr("loop nests of the interpreter");
}

class KernelsPage final : public Page {
 public:
  explicit KernelsPage(Workspace& workspace)
      : Page(workspace, "kernels", tr("Kernels")),
        m_caption(named(mutedLabel(), "kernelsCaption")),
        m_only(
            named(wrappedLabel(), "kernelsOnly", tr("Kernels that only one of the schedules has"))),
        m_list(new KernelList),
        m_code(new KernelCode),
        m_roofline(new RooflinePlot),
        m_rooflineTitle(mutedNote()),
        m_refresh(*this, [this] { showKernels(); }) {
    setContent(makeContent());
    setAction(tr("Try again"), [this] { this->workspace().kernels().retry(); });
    connect(&workspace.kernels(), &KernelModel::kernelsChanged, this, &KernelsPage::refresh);
    connect(&workspace.problems(), &ProblemModel::catalogChanged, this, &KernelsPage::refresh);
    connect(&workspace.selection(), &SelectionModel::changed, this, &KernelsPage::onSelected);
    connect(&workspace.links(), &LinkModel::changed, this, &KernelsPage::onSelected);
    connect(m_code, &KernelCode::lineChosen, this, [this](int line) {
      this->workspace().selection().select({Selection::Kind::Line, QString::number(line)});
    });
    const auto select = [this](const QString& label) {
      this->workspace().selection().select({Selection::Kind::Step, label});
    };
    connect(m_list, &KernelList::chosen, this, select);
    connect(m_only, &QLabel::linkActivated, this, select);
    connect(&workspace.otherKernels(), &OtherKernels::textsChanged, this, &KernelsPage::onSelected);
    connect(m_roofline, &RooflinePlot::chosen, this, select);
    refresh();
  }

  // True once all kernels are compiled and the directives that asked for them are known.
  bool isSettled() const override {
    const auto& schedule = workspace().schedule().schedule().value;
    const auto& kernels = workspace().kernels().kernels().value;
    if (workspace().otherKernels().texts().state == RemoteState::Busy) return false;
    return Page::isSettled() && schedule && kernels && kernels->scheduleHash == schedule->hash &&
           kernels->hasAskers && !kernels->isCompiling;
  }

  int itemCount() const override { return m_list->model()->rowCount(); }

 protected:
  void showEvent(QShowEvent* event) override {
    Page::showEvent(event);
    workspace().kernels().setWanted(this, true);
    workspace().otherKernels().setWanted(true);
  }

  void hideEvent(QHideEvent* event) override {
    Page::hideEvent(event);
    workspace().kernels().setWanted(this, false);
    workspace().otherKernels().setWanted(false);
  }

 private:
  QWidget* makeContent() {
    m_rooflineTitle->setContentsMargins(12, 8, 12, 4);
    auto* roofline = makePane(makeColumn({m_rooflineTitle, {m_roofline, 1}}, {0, 0, 0, 0}, 0));
    auto* below = makeSplitter(Qt::Horizontal, {m_code, roofline}, {560, 400});
    auto* rows = makeSplitter(Qt::Vertical, {m_list, below}, {260, 460});
    return makePane(makeColumn({makeHead(), {rows, 1}}, {0, 0, 0, 0}, 0));
  }

  QWidget* makeHead() {
    m_caption->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_only->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    m_only->hide();
    auto* head = new QWidget;
    auto* layout = new QGridLayout(head);
    layout->setContentsMargins(12, 4, 12, 4);
    layout->setVerticalSpacing(2);
    layout->addWidget(m_caption, 0, 0);
    layout->addWidget(new CompareBox(workspace()), 0, 1);
    layout->addWidget(m_only, 1, 0, 1, 2);
    layout->setColumnStretch(0, 1);
    return head;
  }

  void refresh() {
    const auto& kernels = workspace().kernels().kernels();
    follow(kernels, tr("Open a problem to see its kernels."), tr("Generating the kernels …"));
    m_refresh.ask();
  }

  void showKernels() {
    const auto& kernels = workspace().kernels().kernels();
    m_list->setSnapshot(kernels.value);
    m_roofline->setSnapshot(kernels.value);
    if (kernels.value)
      m_rooflineTitle->setText(tr("Roofline of %1").arg(workspace().problems().deviceName()));
    m_caption->setText(caption());
    m_caption->setToolTip(caption());
    showSelection();
  }

  void onSelected() {
    m_refresh.askFor([this] { showSelection(); });
  }

  void showSelection() {
    m_label = shownLabel();
    const QString& label = m_label;
    m_list->mark(label);
    m_roofline->mark(label);
    const auto& other = workspace().otherKernels().texts();
    m_code->setStep(workspace().kernels().kernels().value, label, other.value);
    const LinkedParts& linked = workspace().links().linked();
    const bool isWhole = workspace().selection().current().kind == Selection::Kind::Step;
    m_code->setLinked(isWhole ? std::set<int>() : linked.lines);
    m_only->setText(other.state == RemoteState::Failed ? other.error : onlyText());
    m_only->setVisible(!m_only->text().isEmpty());
  }

  QString caption() const {
    const auto& snapshot = workspace().kernels().kernels().value;
    if (!snapshot) return {};
    QStringList facts = {
        tr("%1 kernels, %2").arg(snapshot->numKernels()).arg(languageOf(*snapshot))};
    double seconds = 0;
    for (const KernelRow& row : snapshot->rows)
      if (!row.isFromCache) seconds += row.compileSeconds;
    if (snapshot->isCompiling)
      facts << tr("compiling %1 of %2 …").arg(snapshot->numCompiled()).arg(snapshot->numKernels());
    else if (seconds > 0)
      facts << tr("%1 of compiling").arg(secondsText(seconds));
    else if (snapshot->numCompiled() > 0)
      facts << tr("compiled before");
    if (!snapshot->shortfall.isEmpty()) facts << snapshot->shortfall;
    return facts.join(QStringLiteral("  ·  "));
  }

  // Lists the kernels that only one of the two schedules has, with links; empty if there is no
  // other schedule.
  QString onlyText() const {
    const auto& snapshot = workspace().kernels().kernels().value;
    const auto& other = workspace().otherKernels().texts().value;
    if (!snapshot || !other) return {};
    const auto link = [](const QString& label) {
      return QStringLiteral("<a href=\"%1\">%1</a>").arg(label.toHtmlEscaped());
    };
    QStringList here, there, texts;
    for (const KernelRow& row : snapshot->rows)
      if (!row.text.isEmpty() && other->find(row.label()) == nullptr) here << link(row.label());
    for (const auto& [label, kernel] : other->kernels)
      if (snapshot->find(label) == nullptr) there << link(label);
    if (!there.isEmpty())
      texts << tr("Only in %1: %2").arg(other->schedule.toHtmlEscaped(), there.join(", "));
    if (!here.isEmpty())
      texts << tr("Only in %1: %2")
                   .arg(workspace().schedule().name().toHtmlEscaped(), here.join(", "));
    return texts.join(QStringLiteral("  ·  "));
  }

  // Returns the step to show: kernelToShow(), or a selected step that only another schedule has.
  QString shownLabel() const {
    const auto& snapshot = workspace().kernels().kernels().value;
    const auto& other = workspace().otherKernels().texts().value;
    const Selection& selection = workspace().selection().current();
    if (selection.kind == Selection::Kind::Step) {
      const bool isHere = snapshot && snapshot->find(selection.id) != nullptr;
      if (!isHere && other && other->find(selection.id) != nullptr) return selection.id;
    }
    return snapshot ? kernelToShow(selection, workspace().links().linked(), *snapshot, m_label)
                    : QString();
  }

  QString m_label;  // of the step that is shown
  QLabel *m_caption, *m_only;
  KernelList* m_list;
  KernelCode* m_code;
  RooflinePlot* m_roofline;
  QLabel* m_rooflineTitle;
  ShownRefresh m_refresh;
};

}  // namespace

Page* makeKernelsPage(Workspace& workspace) { return new KernelsPage(workspace); }

}  // namespace thallo::gui
