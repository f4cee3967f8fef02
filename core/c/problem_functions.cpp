// The functions of thallo.h about problems.
#include <string>
#include <utility>
#include <vector>

#include "core/base/options.h"
#include "core/c/creation_options.h"
#include "core/c/handle.h"
#include "core/c/problem_run.h"
#include "core/c/thallo.h"
#include "core/embed/shared_session.h"
#include "core/plugin/session.h"

namespace thallo::c_api {
namespace {

// The problems of the shared session, with their options.
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

Expected<thallo_problem> find_problem(std::size_t number) {
  THALLO_TRY(const auto found, texts_of(number));
  const ProblemTexts& texts = *found;
  return thallo_problem{texts.name.c_str(), texts.info.title.c_str(), texts.info.shows.c_str(),
                        texts.info.citation.c_str(), texts.options.size()};
}

Expected<thallo_problem_option> find_problem_option(std::size_t problem, std::size_t number) {
  THALLO_TRY(const auto found, texts_of(problem));
  const ProblemTexts& texts = *found;
  if (number >= texts.options.size())
    return fail("'{}' has {} options, and none of the number {}", texts.name, texts.options.size(),
                number);
  const OptionTexts& option = texts.options[number];
  return thallo_problem_option{option.name.c_str(), option.type.c_str(),
                               option.default_value.c_str(), option.legal.c_str(),
                               option.doc.c_str()};
}

Fault check_has_problem(const Handle& handle) {
  if (handle.problem) return {};
  return {THALLO_WRONG_ORDER,
          fmt::format("'{}' is no instance of a problem; thallo_create_from_problem() makes one",
                      handle.solver.energy().name())};
}

}  // namespace
}  // namespace thallo::c_api

using namespace thallo;         // NOLINT: the functions below are outside of it
using namespace thallo::c_api;  // NOLINT

thallo_status thallo_count_problems(size_t* count) {
  return run_free({{"count", count}}, [&]() -> Fault {
    *count = catalog().size();
    return {};
  });
}

thallo_status thallo_get_problem(size_t number, thallo_problem* problem) {
  return run_free({{"problem", problem}},
                  [&]() -> Fault { return store(find_problem(number), problem); });
}

thallo_status thallo_get_problem_option(size_t problem, size_t number,
                                        thallo_problem_option* option) {
  return run_free({{"option", option}},
                  [&]() -> Fault { return store(find_problem_option(problem, number), option); });
}

thallo_status thallo_create_from_problem(const char* problem, const thallo_option* problem_options,
                                         size_t num_problem_options, const thallo_option* options,
                                         size_t num_options, thallo_solver** solver) {
  if (solver != nullptr) *solver = nullptr;
  return run_free({{"problem", problem}, {"solver", solver}}, [&]() -> Fault {
    if (auto null = find_null_option("problem_options", problem_options, num_problem_options);
        failed(null))
      return null;
    if (auto null = find_null_option("options", options, num_options); failed(null)) return null;
    auto how = creation_options(options, num_options);
    if (!how) return fault(THALLO_INVALID_OPTION, how.error());
    auto run = ProblemRun::make(problem, problem_options, num_problem_options);
    if (!run) return fault(THALLO_INVALID_OPTION, run.error());
    EnergySolver made = run->make_solver(*std::move(how));
    auto handle = std::make_shared<Handle>(std::move(made));
    handle->options = run->solver_options();
    handle->problem = *std::move(run);
    *solver = add_handle(std::move(handle));
    return {};
  });
}

thallo_status thallo_get_instance_value(thallo_solver* solver, const char* name,
                                        thallo_value* value) {
  return run_on(solver, {{"name", name}, {"value", value}}, [&](Handle& handle) -> Fault {
    if (auto none = check_has_problem(handle); failed(none)) return none;
    return store(handle.problem->value(handle.solver.energy(), name), value, THALLO_INVALID_INPUT);
  });
}

thallo_status thallo_advance(thallo_solver* solver, int* goes_on) {
  return run_on(solver, {{"goes_on", goes_on}}, [&](Handle& handle) -> Fault {
    if (auto none = check_has_problem(handle); failed(none)) return none;
    if (!handle.summary || handle.solver.is_stepping())
      return {THALLO_WRONG_ORDER, "thallo_advance() needs a solve that is finished"};
    if (handle.is_advanced) {
      return {THALLO_WRONG_ORDER,
              "thallo_advance() has prepared the next solve already; it needs that solve before it "
              "prepares another one"};
    }
    const auto advanced = handle.problem->advance(handle.solver, *handle.summary);
    if (!advanced) return fault(THALLO_INVALID_INPUT, advanced.error());
    handle.is_advanced = *advanced;
    *goes_on = *advanced ? 1 : 0;
    return {};
  });
}
