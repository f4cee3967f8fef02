#include "gui/problem/problem_list.h"

#include <algorithm>
#include <utility>

namespace thallo::gui {

void ProblemList::setCatalog(std::shared_ptr<const Catalog> catalog) {
  // If the problems are the same as before, the selection is kept.
  if (m_catalog && catalog && m_catalog->problems == catalog->problems) return;
  beginResetModel();
  m_catalog = std::move(catalog);
  endResetModel();
}

int ProblemList::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !m_catalog ? 0 : static_cast<int>(m_catalog->problems.size());
}

QVariant ProblemList::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const ProblemCard& card = m_catalog->problems[static_cast<std::size_t>(index.row())];
  switch (role) {
    case Qt::DisplayRole:
    case Qt::AccessibleTextRole: return card.title;
    case Qt::ToolTipRole: return card.title + '\n' + card.shows;
    case Qt::AccessibleDescriptionRole: return card.shows;
    case NameRole: return card.name;
    case ShowsRole: return card.shows;
    case CitationRole: return card.citation;
    case ProviderRole: return card.provider;
    case PictureRole: return card.picture;
    default: return {};
  }
}

void ProblemFilter::setSearch(const QString& search) {
  m_words = search.simplified().split(' ', Qt::SkipEmptyParts);
  invalidateFilter();
}

QModelIndex ProblemFilter::find(const QString& name) const {
  for (int row = 0; row < rowCount(); ++row) {
    const QModelIndex at = index(row, 0);
    if (at.data(ProblemList::NameRole).toString() == name) return at;
  }
  return {};
}

bool ProblemFilter::filterAcceptsRow(int row, const QModelIndex& parent) const {
  const QModelIndex at = sourceModel()->index(row, 0, parent);
  QStringList texts;
  for (const int role :
       {static_cast<int>(Qt::DisplayRole), static_cast<int>(ProblemList::NameRole),
        static_cast<int>(ProblemList::ShowsRole), static_cast<int>(ProblemList::CitationRole)})
    texts.append(at.data(role).toString());
  const QString all = texts.join('\n');
  return std::ranges::all_of(
      m_words, [&](const QString& word) { return all.contains(word, Qt::CaseInsensitive); });
}

}  // namespace thallo::gui
