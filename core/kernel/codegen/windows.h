// Which channels of fields the points of a tile read around them (core/kernel/tiles.h). Private to
// code generation.
#pragma once

#include <optional>
#include <vector>

#include "core/kernel/code.h"

namespace thallo {

// Returns where an index goes from the points of a section, with one offset in each component; none
// if it does so through a sparse map, a run, backwards, or by several coordinates in one component.
std::optional<std::vector<Window::Component>> window_components(
    const IndexTable& indices, const std::vector<DomainId>& domains, IndexId index);

// True if both go the same way, up to their offsets.
bool are_parallel(const std::vector<Window::Component>& a, const std::vector<Window::Component>& b);

// Puts those of a Sum's domains first that an index adds to the second domain of the section: what
// one row reads in a pass of the loop, the next one reads in another pass.
void move_rows_first(const ExprGraph& graph, const std::vector<DomainId>& section, ExprId sum,
                     std::vector<DomainId>& domains);

// Returns the windows of a section that are worth the loading.
std::vector<Window> find_windows(const KernelProgram& program, const ExprGraph& graph,
                                 const Section& section);

}  // namespace thallo
