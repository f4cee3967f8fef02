#pragma once

// Helpers with which constructs read the arguments of schedule statements. Every fault of a
// statement quotes it as written, says what is wanted and has its place.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/properties.h"
#include "core/schedule/construct.h"
#include "core/schedule/roles.h"

namespace thallo {

tl::unexpected<Diagnostic> fault_in(const ScheduleStatement& statement, std::string_view what,
                                    std::vector<std::string> alternatives = {});

// Fails if a method without parameters was given arguments.
Expected<void> no_argument(const ScheduleStatement& statement);
// Returns `absent` if there are no arguments; the only argument must be true or false.
Expected<bool> flag_argument(const ScheduleStatement& statement, bool absent);
// Returns the only argument, which must be a text; `wanted` says in the message which text.
Expected<std::string> text_argument(const ScheduleStatement& statement, std::string_view wanted);
// An argument that is given by its name. It has one of these values; it is any text if there are
// none.
struct NamedArgument {
  std::string name;
  std::vector<PropertyValue> values = {};
};
// Returns the arguments of a statement that takes them by name. `example` shows some of them:
// {role="jtjp", threads=128}.
Expected<Properties> named_arguments(const ScheduleStatement& statement,
                                     std::span<const NamedArgument> known,
                                     std::string_view example);
// Returns the role that the named argument `role` says. `others_are` ends the sentence about any
// that is not among `roles`: "gathers through no sparse map".
Expected<Role> role_argument(const ScheduleStatement& statement, const Properties& arguments,
                             std::span<const Role> roles, std::string_view others_are);
// Returns the names of domains, at least one, in the order given: reorder{h, w}. Does not check
// that the part has such domains.
Expected<std::vector<std::string>> domain_arguments(const Energy& energy, const Part& part,
                                                    const ScheduleStatement& statement);

// Returns the part that a statement is about: NAME in r.NAME and in r.NAME.PRODUCT.
Expected<const Part*> part_in(const ScheduleStatement& statement, const Plan& plan,
                              const PartNames& names);

// Returns the position of an intermediate among those of the energy, which has it.
std::size_t position_of_intermediate(const Energy& energy, std::string_view name);
// Returns the site of the intermediate that a statement is about. Fails, with the reason, if there
// is none of that name that schedules decide about.
Expected<Site> intermediate_in(const ScheduleStatement& statement, const Energy& energy);

// Returns the fault that the part's strategy does not store the product that the statement is
// about. The alternatives are the strategies for which `stores` is true.
tl::unexpected<Diagnostic> refuse_unstored(const ScheduleStatement& statement, const Part& part,
                                           std::string_view product, bool (*stores)(Strategy));

// Fails unless the statement is about the solver's vectors, r.vectors.
Expected<void> check_on_vectors(const ScheduleStatement& statement);

}  // namespace thallo
