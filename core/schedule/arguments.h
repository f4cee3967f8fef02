#pragma once

// Reading the arguments of schedule statements and refusing choices, for constructs. Every fault of
// a statement names it as written, what was found and what is wanted, and has its place.

#include <string>
#include <string_view>

#include "core/schedule/construct.h"

namespace thallo {

tl::unexpected<Diagnostic> fault_in(const ScheduleStatement& statement, std::string_view what,
                                    std::vector<std::string> alternatives = {});

// Of a method that takes nothing.
Expected<void> no_argument(const ScheduleStatement& statement);
// No arguments count as `absent`, one must be true or false.
Expected<bool> flag_argument(const ScheduleStatement& statement, bool absent);
// One argument, a text.
Expected<std::string> text_argument(const ScheduleStatement& statement, std::string_view wanted);
// Domains of the part by name, in the order given, at least one: reorder{h, w}. Whether it has them
// is not checked.
Expected<std::vector<std::string>> domain_arguments(const Energy& energy, const Part& part,
                                                    const ScheduleStatement& statement);

// The part a statement is about, r.NAME or that of r.NAME.PRODUCT.
Expected<const Part*> part_in(const ScheduleStatement& statement, const Plan& plan,
                              const PartNames& names);

// The strategy of the part does not store the product that the statement is about; legal are those
// that do.
tl::unexpected<Diagnostic> refuse_unstored(const ScheduleStatement& statement, const Part& part,
                                           std::string_view product, bool (*stores)(Strategy));

// Is the statement about the solver's vectors, r.vectors?
Expected<void> check_on_vectors(const ScheduleStatement& statement);

// The choices at a site as schedules say them, r.fit:strategy("JtJp"): what failures list as legal.
std::vector<std::string> written(const Construct& construct, const Site& site,
                                 const std::vector<Choice>& choices);

// Fails unless one of the choices that are legal at the site has the label; the failure says that
// `subject` cannot be it. For constructs whose choices need no further reasons.
Expected<void> check_offered(const Construct& construct, const Site& site,
                             const std::vector<Choice>& legal, const Choice& choice,
                             std::string_view subject);

}  // namespace thallo
