#include "gui/problem/energy_source.h"

#include <QFile>

#include "core/base/assets.h"
#include "core/base/io/file.h"
#include "core/problem/energy_problem.h"
#include "gui/base/file_text.h"
#include "gui/base/text.h"

namespace thallo::gui {
namespace {

EnergyWords wordsOf(const FrontEndRegistry& frontEnds, const QString& file, const QString& text) {
  const auto frontEnd = find_front_end(frontEnds, file.toStdString(), text.toStdString());
  if (!frontEnd) return {};
  const LanguageWords words = (*frontEnd)->words();
  EnergyWords result{.comment = toQt(words.comment)};
  for (const std::string& word : words.keywords) result.keywords.append(toQt(word));
  for (const std::string& name : words.names) result.names.append(toQt(name));
  return result;
}

}  // namespace

EnergySource readEnergySource(Session& session, const QString& problem, const Energy* energy) {
  const auto* entry = session.problems().find_entry(problem.toStdString());
  const auto* ofFile =
      entry == nullptr ? nullptr : dynamic_cast<const EnergyProblem*>(entry->item.get());
  std::filesystem::path path;
  if (ofFile != nullptr)
    path = ofFile->text_file();
  else if (energy != nullptr && !energy->groups().empty())
    path = energy->groups().front().where.file;
  QFile file(toQt(path.string()));
  if (path.empty() || !check_plain_file(path) || !file.open(QIODevice::ReadOnly)) return {};
  EnergySource source{.file = file.fileName(),
                      .text = textOfBytes(file.readAll()),
                      .isOwn = ofFile != nullptr && !is_shipped(path)};
  source.words = wordsOf(session.front_ends(), source.file, source.text);
  return source;
}

}  // namespace thallo::gui
