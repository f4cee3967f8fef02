// What problems share that deform a mesh by handles which are blended to their goals: options, data
// of an instance, and the report. The energy has
//
//   dims       N (vertices), E (directed edges, both directions of every edge)
//   unknown    Position, 3 numbers a vertex (there may be more unknowns)
//   arrays     UrShape (the mesh as given), Constraints (-infinity where there is none)
//   maps       V0, V1: the vertices of an edge
#pragma once

#include <memory>
#include <vector>

#include "core/base/mesh.h"
#include "core/problem/blended_constraints.h"
#include "core/problem/mesh_handles.h"
#include "core/problem/report/mesh_view.h"

namespace thallo {

struct MeshDeformation : BlendedConstraints {
  std::vector<double> blended(double fraction) const override;

  HandledMesh input;
  MeshEdges edges;
  FieldId position;
  MeshView view;  // of the report's picture
};

// `file`, `subdivisions` and `solves`, of which there are `num_solves` by default.
std::vector<OptionSpec> mesh_deformation_options(std::int64_t num_solves);

// Makes an instance that lacks what is not in the list above, with labels and `data`, whose members
// it sets, but for the view. Of the solver's options it sets those that end a solve. The mesh is
// that of option `file`; where that is empty it is the one in data->input, whose title is
// `made_title`.
Expected<Instance> make_mesh_deformation(const Energy& energy, const Options& options,
                                         std::shared_ptr<MeshDeformation> data,
                                         const char* made_title);

// Pictures and meshes before and after, how far handles are from their goals, how much edges
// changed their lengths, and the cost of every solve.
Report report_mesh_deformation(const Instance& instance, const Solution& solution);

}  // namespace thallo
