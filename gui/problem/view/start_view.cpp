#include "gui/problem/view/start_view.h"

#include <QVBoxLayout>

#include "gui/problem/examples.h"
#include "gui/widgets/theme.h"

namespace thallo::gui {

StartView::StartView(Workspace& workspace, QWidget* parent)
    : QWidget(parent),
      m_workspace(workspace),
      m_schedule(new WayButton(Way::Schedule, tr("&Look at a schedule"),
                               tr("An example: what its schedule decides, what each decision "
                                  "costs, and which would be faster."))),
      m_energy(new WayButton(Way::Energy, tr("&Bring an energy"),
                             tr("Your own text and data: open its file, begin a new one, or drop "
                                "a file on this page."))),
      m_space(new WayButton(Way::Space, tr("E&xplore a space"),
                            tr("Hundreds of schedules that were measured on a GPU: where the "
                               "fast ones are, and why."))),
      m_bring(new QMenu(this)),
      m_title(new QLabel(tr("Opened last"))),
      m_recent(new QListView) {
  setObjectName("startView");
  auto* head = new QLabel(tr("Begin here, or choose a problem"));
  head->setFont(titleFont());
  head->setWordWrap(true);
  m_schedule->setObjectName("lookAtSchedule");
  m_energy->setObjectName("bringEnergy");
  m_space->setObjectName("exploreSpace");
  m_bring->setObjectName("bringMenu");
  m_bring->addAction(tr("&Open a file …  (Ctrl+O)"), this, &StartView::openAsked);
  m_bring->addAction(tr("&New energy …"), this, &StartView::newAsked);
  connect(m_schedule, &QPushButton::clicked, this, [this] {
    const auto& catalog = m_workspace.problems().catalog().value;
    if (catalog) begin(exampleOfSchedule(*catalog), QStringLiteral("schedule"));
  });
  connect(m_energy, &QPushButton::clicked, this, [this] {
    m_bring->popup(m_energy->mapToGlobal(QPoint(0, m_energy->height())));
    m_bring->setActiveAction(m_bring->actions().front());
  });
  connect(m_space, &QPushButton::clicked, this, [this] {
    const auto& catalog = m_workspace.problems().catalog().value;
    if (catalog) begin(exampleOfSpace(*catalog), QStringLiteral("space"));
  });
  m_title->setFont(titleFont());
  m_title->setContentsMargins(0, 12, 0, 0);
  m_recent->setObjectName("recentList");
  m_recent->setAccessibleName(m_title->text());
  m_recent->setModel(&workspace.recent());
  m_recent->setSpacing(4);
  m_recent->viewport()->setAutoFillBackground(false);
  connect(m_recent, &QListView::activated, this, [this](const QModelIndex& index) {
    const auto& all = m_workspace.recent().all();
    m_workspace.openRecent(all[static_cast<std::size_t>(index.row())]);
  });
  connect(m_recent, &QListView::clicked, m_recent, &QListView::activated);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(16, 8, 12, 8);
  layout->setSpacing(8);
  layout->addWidget(head);
  for (WayButton* way : {m_schedule, m_energy, m_space}) layout->addWidget(way);
  layout->addWidget(m_title);
  layout->addWidget(m_recent, 1);
  layout->addStretch();
  connect(&workspace.problems(), &ProblemModel::catalogChanged, this, &StartView::refresh);
  connect(&workspace.recent(), &QAbstractItemModel::modelReset, this, &StartView::refresh);
  refresh();
}

void StartView::refresh() {
  const auto& catalog = m_workspace.problems().catalog().value;
  m_schedule->setEnabled(catalog && exampleOfSchedule(*catalog));
  m_space->setEnabled(catalog && exampleOfSpace(*catalog));
  const bool hasRecent = m_workspace.recent().rowCount() > 0;
  m_title->setVisible(hasRecent);
  m_recent->setVisible(hasRecent);
}

void StartView::begin(const std::optional<ProblemRequest>& request, const QString& page) {
  if (!request) return;
  m_workspace.open(*request, {}, [this, page] { Q_EMIT pageAsked(page); });
}

}  // namespace thallo::gui
