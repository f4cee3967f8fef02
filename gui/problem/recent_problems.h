// The recently opened problems, newest first, kept in the settings of the app.
#pragma once

#include <vector>

#include <QAbstractListModel>

#include "gui/problem/problem_data.h"

namespace thallo::gui {

struct RecentProblem {
  ProblemRequest request;
  QString file;  // the problem's .toml file; empty if a plugin defines it

  // Returns for example "image_warping · size=256 · h200".
  QString text() const;

  friend bool operator==(const RecentProblem&, const RecentProblem&) = default;
};

class RecentProblems final : public QAbstractListModel {
 public:
  static constexpr int Capacity = 12;

  RecentProblems();

  const std::vector<RecentProblem>& all() const { return m_all; }
  // Adds the problem, or moves it to the front.
  void add(const RecentProblem& problem);
  void clear();

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;

 private:
  void replace(std::vector<RecentProblem> all);

  std::vector<RecentProblem> m_all;
};

}  // namespace thallo::gui
