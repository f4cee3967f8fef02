#include "core/c/problem_catalog.h"

#include <string>
#include <vector>

#include "core/base/options.h"
#include "core/embed/shared_session.h"
#include "core/plugin/session.h"

namespace thallo::c_api {
namespace {

struct OptionTexts {
  explicit OptionTexts(const OptionSpec& spec)
      : name(spec.name),
        type(type_name(spec.default_value)),
        default_value(to_string(spec.default_value)),
        legal(legal_values(spec)),
        doc(spec.doc) {}

  std::string name, type, default_value, legal, doc;
};

struct ProblemTexts {
  explicit ProblemTexts(const ProblemRegistry::Entry& entry)
      : name(entry.name), info(entry.item->info()) {
    for (const OptionSpec& spec : entry.item->options()) options.emplace_back(spec);
  }

  std::string name;
  ProblemInfo info;
  std::vector<OptionTexts> options;
};

// Lives to the end of the process: static objects of a program may still read it.
const std::vector<ProblemTexts>& catalog() {
  static const auto* texts = [] {
    auto* all = new std::vector<ProblemTexts>;
    for (const auto* entry : shared_session().problems().entries()) all->emplace_back(*entry);
    return all;
  }();
  return *texts;
}

Expected<const ProblemTexts*> texts_of(std::size_t number) {
  if (number < catalog().size()) return &catalog()[number];
  return fail("there are {} problems, and none of the number {}", catalog().size(), number);
}

}  // namespace

std::size_t count_problems() { return catalog().size(); }

Expected<thallo_problem> find_problem(std::size_t number) {
  const auto found = texts_of(number);
  if (!found) return fail(found.error());
  const ProblemTexts& texts = **found;
  return thallo_problem{texts.name.c_str(), texts.info.title.c_str(), texts.info.shows.c_str(),
                        texts.info.citation.c_str(), texts.options.size()};
}

Expected<thallo_problem_option> find_problem_option(std::size_t problem, std::size_t number) {
  const auto found = texts_of(problem);
  if (!found) return fail(found.error());
  const ProblemTexts& texts = **found;
  if (number >= texts.options.size())
    return fail("'{}' has {} options, and none of the number {}", texts.name, texts.options.size(),
                number);
  const OptionTexts& option = texts.options[number];
  return thallo_problem_option{option.name.c_str(), option.type.c_str(),
                               option.default_value.c_str(), option.legal.c_str(),
                               option.doc.c_str()};
}

}  // namespace thallo::c_api
