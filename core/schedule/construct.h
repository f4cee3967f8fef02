#pragma once

// A construct is a kind of scheduling decision: it knows where in an energy it can be decided
// (sites), what can be written there and why some of it is not legal (alternatives), what a
// decision means (apply) and how it is written (spellings, parse, print). Constructs are plugins;
// whatever lists, enumerates, reads, prints or edits schedules asks them, so that a new one appears
// everywhere at once. Constructs are stateless: they know only the Energy and the Plan that the
// decisions so far have made.

#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/base/registry.h"
#include "core/energy/energy.h"
#include "core/schedule/directive.h"
#include "core/schedule/editor.h"
#include "core/schedule/plan.h"
#include "core/schedule/statement.h"

namespace thallo {

// `r.fit:reorder{...}` is method reorder on a Part.
struct Spelling {
  ScheduleName::Kind on = ScheduleName::Kind::Part;
  std::string_view method;
};

// The fault that there is no part `name`; its alternatives are `parts`, all parts there are.
tl::unexpected<Diagnostic> no_part(std::string_view name, const std::vector<std::string>& parts);

// What a schedule text calls the parts: their names and, after merges and splits, the names that
// the text gave them.
class PartNames {
 public:
  // From now on `name` means the part that `residual` belongs to.
  void add(std::string name, ResidualRef residual) {
    given_.insert_or_assign(std::move(name), residual);
  }
  // From the statement `by` on, no part has the name, unless a later statement gives it again.
  void retire(std::string name, const ScheduleStatement& by) {
    retired_.insert_or_assign(std::move(name), by);
  }
  // Fails with the parts there are when none has the name.
  Expected<const Part*> find(const Plan& plan, std::string_view name) const;

 private:
  std::map<std::string, ResidualRef, std::less<>> given_;
  std::map<std::string, ScheduleStatement, std::less<>> retired_;
};

// A choice that can be written at a site.
struct Alternative {
  Choice choice;
  // A failure says why the choice is not legal at the site, as the end of a sentence: "its Jt is
  // gathered at the output, which follows the accesses backwards".
  Expected<void> legal = {};
  // Is it legal, but makes the same program as an alternative before it?
  bool is_repeated = false;
};
// The one whose choice has the label; the end when there is none.
std::vector<Alternative>::const_iterator find_alternative(
    const std::vector<Alternative>& alternatives, std::string_view label);

// Fails when some alternative of a site cannot be shown by its editor, which is the
// construct's fault.
Expected<void> check_editor(const Editor& editor, const std::vector<Alternative>& alternatives);

class Construct {
 public:
  virtual ~Construct() = default;

  virtual std::string_view name() const = 0;
  virtual std::string_view doc() const = 0;  // one sentence
  virtual Stage stage() const = 0;

  // The sites where it can be decided, in a fixed order, given the decisions of earlier stages and
  // at its own earlier sites.
  virtual std::vector<Site> sites(const Energy& energy, const Plan& plan) const = 0;
  // All that can be written at a site, legal or not. The first is the default, which is legal
  // unless it stores more than the plan's limit allows.
  virtual std::vector<Alternative> alternatives(const Energy& energy, const Plan& plan,
                                                const Site& site) const = 0;
  // The one of alternatives() that has the choice's label, if there is one. A construct overrides
  // it that offers too many to search, such as all orders of many items.
  virtual std::optional<Alternative> find(const Energy& energy, const Plan& plan, const Site& site,
                                          const Choice& choice) const;
  // How people choose among the alternatives. By default they see them side by side.
  virtual Editor editor(const Energy& energy, const Plan& plan, const Site& site) const;
  // How a message begins that refuses a choice, also one that is no alternative: "storage of
  // r.fit.J cannot be 'csr'".
  virtual std::string refusal(const Site& site, const Choice& choice) const = 0;
  // Writes the choice, which must be legal, into the plan.
  virtual void apply(const Energy& energy, Plan& plan, const Site& site,
                     const Choice& choice) const = 0;

  // The methods of schedule text that mean this construct.
  virtual std::vector<Spelling> spellings() const = 0;
  // Reads all statements of a text that use its spellings, in the order written; `plan` is that of
  // the earlier stages. A construct of Stage::Partition adds to `names` the names that the text
  // gives to parts. Legality is not checked here. A fault has its statement's place.
  virtual Expected<std::vector<Directive>> parse(
      const Energy& energy, const Plan& plan, PartNames& names,
      std::span<const ScheduleStatement> statements) const = 0;
  // The canonical text, one line without its end: `r.fit:strategy("[JtJ]p")`.
  virtual std::string print(const Directive& directive) const = 0;

  // The legal alternatives that are not repeated: what an enumeration tries. The first is the
  // default if that is legal; there is one at least if the plan has no limit.
  std::vector<Choice> choices(const Energy& energy, const Plan& plan, const Site& site) const;
  // Fails when the choice is not a legal alternative: says why, with all that are as alternatives.
  Expected<void> check(const Energy& energy, const Plan& plan, const Site& site,
                       const Choice& choice) const;
  // The choices at a site as print() writes them.
  std::vector<std::string> written(const Site& site, const std::vector<Choice>& choices) const;
};

using ConstructRegistry = Registry<Construct>;

}  // namespace thallo
