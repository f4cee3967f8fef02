// Names options in messages. The library does not know how users of a program set an option, so its
// messages name options by option_text(), and each program defines once how that reads: `thallo`
// uses flags, the app the labels of its fields.
#pragma once

#include <string>
#include <string_view>

namespace thallo {

// Returns the program's name for an option, or for an option with a value if the value is not
// empty.
using OptionSpelling = std::string (*)(std::string_view id, std::string_view value);

// Returns the option as users of this program know it. Without a spelling: "the option 'sample'",
// "the option 'search=greedy'".
std::string option_text(std::string_view id, std::string_view value = {});

// Must be called before other threads run.
void set_option_spelling(OptionSpelling spelling);

}  // namespace thallo
