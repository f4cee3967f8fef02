#pragma once

// Several C texts become one, so that one compiler process compiles them: starting it and reading
// headers take as long as compiling a small kernel. In the text of all, every name that one of the
// texts defines at file scope gets a prefix of its own. So each text keeps its helper functions,
// which are inlined as they are where the text is compiled alone.

#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace thallo {

using ScopeNames = std::set<std::string, std::less<>>;

// What a C text says at file scope.
struct FileScope {
  ScopeNames defined;       // functions with bodies, types, enumerators, tables
  ScopeNames declared;      // functions without bodies: the promises about the mathematical library
  bool has_macros = false;  // these may hide definitions: the text is not to be combined
};
FileScope file_scope_of(std::string_view text);

// Returns the text with a prefix before each mention of the names, but in comments and directives.
std::string with_prefix(std::string_view text, const ScopeNames& names, std::string_view prefix);

// Returns the prefix of the number-th of the texts: "k3_".
std::string prefix_of(std::size_t number);

}  // namespace thallo
