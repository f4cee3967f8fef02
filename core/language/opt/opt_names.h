#pragma once

// The names of Opt's dialect that differ from Thallo's: declarations one by one, reads at offsets,
// Graph, Energy, Exclude.

namespace thallo::language {

class TextLoad;

// Replaces names of the library, the table on the top of the stack, by those of the dialect, and
// makes calls of fields and members of graphs mean what they mean there.
void use_opt_names(TextLoad& load);

// The part of them that is written in Lua; it runs after the Prelude.
extern const char* const OptPrelude;

}  // namespace thallo::language
