#include "gui/workspace/view/search_box.h"

#include <algorithm>

#include <QFrame>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>

#include "gui/widgets/layouts.h"
#include "gui/widgets/theme.h"
#include "gui/workspace/search_index.h"

namespace thallo::gui {
namespace {

constexpr std::size_t MostHits = 14;
constexpr int Width = 560;

class SearchBox final : public QFrame {
 public:
  SearchBox(Workspace& workspace, QWidget& parent)
      : QFrame(&parent),
        m_workspace(workspace),
        m_line(new QLineEdit(this)),
        m_list(named(new QListWidget(this), "searchHits")) {
    named(this, "searchBox", tr("Search"));
    setFrameShape(QFrame::StyledPanel);
    setAutoFillBackground(true);
    m_line->setPlaceholderText(tr("Find a node, site, step, schedule or problem"));
    m_line->setAccessibleName(tr("Find"));
    m_line->setClearButtonEnabled(true);
    m_line->installEventFilter(this);
    m_list->setFocusPolicy(Qt::NoFocus);
    setLayout(makeColumn({m_line, m_list}, {8, 8, 8, 8}));
    connect(m_line, &QLineEdit::textChanged, this, &SearchBox::refresh);
    connect(m_list, &QListWidget::itemClicked, this,
            [this](QListWidgetItem* item) { go(m_list->row(item)); });
    parent.addAction(tr("Find"), tr("Ctrl+K"), this, &SearchBox::open);
    hide();
  }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (watched == m_line && event->type() == QEvent::FocusOut) hide();
    if (watched != m_line || event->type() != QEvent::KeyPress)
      return QFrame::eventFilter(watched, event);
    const int row = m_list->currentRow();
    switch (static_cast<QKeyEvent*>(event)->key()) {
      case Qt::Key_Escape: hide(); return true;
      case Qt::Key_Down: m_list->setCurrentRow(std::min(row + 1, m_list->count() - 1)); return true;
      case Qt::Key_Up: m_list->setCurrentRow(std::max(row - 1, 0)); return true;
      case Qt::Key_Return:
      case Qt::Key_Enter: go(row); return true;
      default: return QFrame::eventFilter(watched, event);
    }
  }

 private:
  void open() {
    m_entries = m_workspace.searchEntries();
    m_line->clear();
    refresh();
    setGeometry((parentWidget()->width() - Width) / 2, 48, Width, 420);
    show();
    raise();
    m_line->setFocus();
  }

  void refresh() {
    m_hits = findEntries(m_entries, m_line->text(), MostHits);
    m_list->clear();
    for (const SearchEntry& hit : m_hits) {
      auto* item = new QListWidgetItem(m_list);
      item->setText(hit.kind + QStringLiteral("   ") + hit.name);
      item->setToolTip(hit.detail);
    }
    m_list->setCurrentRow(m_hits.empty() ? -1 : 0);
  }

  void go(int row) {
    if (row < 0 || row >= static_cast<int>(m_hits.size())) return;
    hide();
    m_hits[static_cast<std::size_t>(row)].go();
  }

  Workspace& m_workspace;
  QLineEdit* m_line;
  QListWidget* m_list;
  std::vector<SearchEntry> m_entries, m_hits;
};

}  // namespace

QWidget* makeSearchBox(Workspace& workspace, QWidget& parent) {
  return new SearchBox(workspace, parent);
}

}  // namespace thallo::gui
