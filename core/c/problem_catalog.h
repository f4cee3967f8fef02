// The problems of the shared session, with their options, as thallo.h lists them.
#pragma once

#include <cstddef>

#include "core/base/diagnostic.h"
#include "core/c/thallo.h"

namespace thallo::c_api {

std::size_t count_problems();
// Texts live until the process ends. Fail if there is no such problem, or no such option of it.
Expected<thallo_problem> find_problem(std::size_t number);
Expected<thallo_problem_option> find_problem_option(std::size_t problem, std::size_t number);

}  // namespace thallo::c_api
