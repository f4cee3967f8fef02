#pragma once

// A construct is a kind of scheduling decision. It knows where in an energy the decision can be
// made (sites), what can be chosen there and why some of it is illegal (alternatives), what a
// choice means (apply), and how it is written (spellings, parse, print). Constructs are plugins.
// All code that lists, enumerates, reads, prints or edits schedules asks them, so a new construct
// appears everywhere at once. Constructs are stateless: they use only the Energy and the Plan of
// the decisions so far.

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

// For example, `r.fit:reorder{...}` is the method reorder on a Part.
struct Spelling {
  ScheduleName::Kind on = ScheduleName::Kind::Part;
  std::string_view method;
};

// Returns the fault that there is no part `name`; its alternatives are `parts`, all existing parts.
tl::unexpected<Diagnostic> no_part(std::string_view name, const std::vector<std::string>& parts);

// The names that a schedule text can use for parts: their own names and, after merges and splits,
// the names that the text gave them.
class PartNames {
 public:
  // From now on, `name` means the part that contains `residual`.
  void add(std::string name, ResidualRef residual) {
    given_.insert_or_assign(std::move(name), residual);
  }
  // From the statement `by` on, no part has the name, unless a later statement gives it again.
  void retire(std::string name, const ScheduleStatement& by) {
    retired_.insert_or_assign(std::move(name), by);
  }
  // Fails if no part has the name, and lists the parts.
  Expected<const Part*> find(const Plan& plan, std::string_view name) const;

 private:
  std::map<std::string, ResidualRef, std::less<>> given_;
  std::map<std::string, ScheduleStatement, std::less<>> retired_;
};

// A choice that is offered at a site.
struct Alternative {
  Choice choice;
  // A failure says why the choice is illegal at the site, as the end of a sentence: "its Jt is
  // gathered at the output, which follows the accesses backwards".
  Expected<void> legal = {};
  // True if it is legal, but makes the same program as an alternative before it.
  bool is_repeated = false;
};
// Returns the alternative whose choice has the label; the end if there is none.
std::vector<Alternative>::const_iterator find_alternative(
    const std::vector<Alternative>& alternatives, std::string_view label);

// Fails if the editor cannot show some alternative of the site, which is a bug in the construct.
Expected<void> check_editor(const Editor& editor, const std::vector<Alternative>& alternatives);

class Construct {
 public:
  virtual ~Construct() = default;

  virtual std::string_view name() const = 0;
  virtual std::string_view doc() const = 0;  // one sentence
  virtual Stage stage() const = 0;

  // Returns the sites where the construct decides, in a fixed order, given the decisions of the
  // constructs before it. What it decides at one of them does not change them.
  virtual std::vector<Site> sites(const Energy& energy, const Plan& plan) const = 0;
  // Returns everything that can be written at a site, legal or not. The first is the default, which
  // is legal unless it stores more than the plan's limit allows.
  virtual std::vector<Alternative> alternatives(const Energy& energy, const Plan& plan,
                                                const Site& site) const = 0;
  // Returns the alternative that has the choice's label, if there is one, and the choice of the
  // first one. A construct that offers too many alternatives to list, such as all orders of many
  // items, overrides both.
  virtual std::optional<Alternative> find(const Energy& energy, const Plan& plan, const Site& site,
                                          const Choice& choice) const;
  virtual Choice default_choice(const Energy& energy, const Plan& plan, const Site& site) const;
  // Returns how people choose among the alternatives; by default, they are shown side by side.
  virtual Editor editor(const Energy& energy, const Plan& plan, const Site& site) const;
  // Returns the beginning of a message that refuses a choice, even one that is not an alternative:
  // "storage of r.fit.J cannot be 'csr'".
  virtual std::string refusal(const Site& site, const Choice& choice) const = 0;
  // Writes the choice, which must be legal, into the plan.
  virtual void apply(const Energy& energy, Plan& plan, const Site& site,
                     const Choice& choice) const = 0;

  // Returns the methods of schedule text that mean this construct.
  virtual std::vector<Spelling> spellings() const = 0;
  // Reads all statements of a text that use its spellings, in the order written, by default one by
  // one; `plan` is the result of the earlier stages. A construct of Stage::Partition adds the names
  // that the text gives to parts to `names`. Legality is not checked here. A fault has its
  // statement's place. A construct overrides this or read(), which the default calls.
  virtual Expected<std::vector<Directive>> parse(
      const Energy& energy, const Plan& plan, PartNames& names,
      std::span<const ScheduleStatement> statements) const;
  virtual Expected<Directive> read(const Energy& energy, const Plan& plan, const PartNames& names,
                                   const ScheduleStatement& statement) const;
  // Returns the canonical text, one line without its line break: `r.fit:strategy("[JtJ]p")`.
  virtual std::string print(const Directive& directive) const = 0;

  // Returns the legal alternatives that are not repeated, as an enumeration tries them. The first
  // one is the default if that is legal. If the plan has no limit, there is at least one.
  std::vector<Choice> choices(const Energy& energy, const Plan& plan, const Site& site) const;
  // Fails if the choice is not a legal alternative: says why, and lists all legal ones.
  Expected<void> check(const Energy& energy, const Plan& plan, const Site& site,
                       const Choice& choice) const;
  // Returns the choices at a site as print() writes them.
  std::vector<std::string> written(const Site& site, const std::vector<Choice>& choices) const;
};

using ConstructRegistry = Registry<Construct>;

}  // namespace thallo
