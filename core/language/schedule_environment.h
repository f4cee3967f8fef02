#pragma once

// The globals of a schedule file. Names need no declaration: r is the energy, and any other name
// stands for whatever has that name in the energy.

namespace thallo::language {

class TextLoad;

void open_schedule_environment(TextLoad& load);

}  // namespace thallo::language
