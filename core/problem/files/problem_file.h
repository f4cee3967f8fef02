// Problems without C++: a .toml file beside an energy text.
//
//   # denoise.toml, beside denoise.lua
//   title = "Total-variation denoising"
//   shows = "a robust stencil over one image"
//   citation = "Rudin, Osher, Fatemi, 1992"
//   picture = "denoise.png"           # of 480 x 300 pixels, beside this file
//   energy = "denoise.lua"            # default: the name of this file, with .lua or the like
//   double = false
//
//   [bind]                            # as `thallo run --bind`; files beside this one
//   X = "noisy.png"
//   A = "noisy.png"
//   w = 0.3
//
//   [solver]                          # as `thallo solve --set`
//   nIterations = 20
//
//   [out]                             # default: every unknown, in the format of its input
//   X = "clean.png"
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/diagnostic.h"
#include "core/problem/energy_problem.h"

namespace thallo {

// The problem is named after the file. Errors state its line; an unknown key is answered with the
// legal keys. One of the front ends, which must outlive the result, reads the energy text.
Expected<EnergyProblemSpec> read_problem_file(const std::filesystem::path& path,
                                              const FrontEndRegistry& front_ends);

// True if the text is the path of an energy text or of a .toml file, judged by its suffix, and not
// the name of a problem.
bool is_energy_path(std::string_view text, const FrontEndRegistry& front_ends);

// Makes a problem from an energy text, with the settings of the .toml beside it, if there is one.
// Further bindings override those. `path` is the path of the text or of the .toml.
Expected<EnergyProblemSpec> read_energy_problem(const std::filesystem::path& path,
                                                std::span<const SourceText> bindings,
                                                const FrontEndRegistry& front_ends);

// Adds the problems of every *.toml file in these folders and their direct subfolders, sorted by
// name. Returns a message for each refused file.
std::vector<std::pair<std::filesystem::path, std::string>> add_problem_files(
    std::span<const std::filesystem::path> folders, const FrontEndRegistry& front_ends,
    ProblemRegistry& problems);

}  // namespace thallo
