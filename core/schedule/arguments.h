#pragma once

// Reading the arguments of schedule statements, for constructs. Every fault names the statement as
// written, what was found and what is wanted, and has its place.

#include <string>
#include <string_view>

#include "core/schedule/construct.h"

namespace thallo {

tl::unexpected<Diagnostic> fault_in(const ScheduleStatement& statement, std::string_view what,
                                    std::vector<std::string> alternatives = {});

// No arguments count as `absent`, one must be true or false.
Expected<bool> flag_argument(const ScheduleStatement& statement, bool absent);
// One argument, a text.
Expected<std::string> text_argument(const ScheduleStatement& statement, std::string_view wanted);
// Domains of the part by name, in the order given: reorder{h, w}. Whether it has them is not
// checked.
Expected<std::vector<std::string>> domain_arguments(const Energy& energy, const Part& part,
                                                    const ScheduleStatement& statement);

// The part a statement is about, r.NAME or that of r.NAME.PRODUCT.
Expected<const Part*> part_in(const ScheduleStatement& statement, const Plan& plan,
                              const PartNames& names);

// Is the statement about the solver's vectors, r.vectors?
Expected<void> check_on_vectors(const ScheduleStatement& statement);

// The legal choice with this label, else a failure that says `subject` cannot be it and lists the
// labels. For constructs whose choices need no further reasons.
Expected<void> check_offered(const std::vector<Choice>& choices, const Choice& choice,
                             std::string_view subject);

}  // namespace thallo
