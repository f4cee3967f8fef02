#include "core/language/opt/opt_declarations.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/suggest.h"
#include "core/language/declarations.h"
#include "core/language/opt/opt_energy.h"

namespace thallo::language {
namespace {

void require_slot(Call& call, int slot, std::string_view declared) {
  if (slot < 0)
    call.fault(
        "{} has no slot: each input states its position in the list of parameters last, "
        "Unknown(\"X\", opt_float2, {{W, H}}, 0)",
        declared);
}

template <Declaration::Kind kind>
int declare(Call& call) {
  const std::string name = call.identifier(1, "the name of an input");
  const Declaration declared = kind == Declaration::Kind::Param ? param_declaration(call, 2)
                                                                : field_declaration(call, 2, kind);
  require_slot(call, declared.slot, name);
  return call.push(declare_input(call, name, declared));
}

// Array2D("A", float, W, H, 1), in which the one of the name X is the unknown.
template <int num_dims>
int declare_image(Call& call) {
  const std::string name = call.identifier(1, "the name of an input");
  const Declaration declared = field_declaration(
      call, 2, name == "X" ? Declaration::Kind::Unknown : Declaration::Kind::Array, num_dims);
  require_slot(call, declared.slot, name);
  const Value field = declare_input(call, name, declared);
  call.load().opt->add_image(std::get<FieldRef>(field).id);
  return call.push(field);
}

// Dim("W", 0)
int declare_opt_dim(Call& call) {
  const std::string name = call.identifier(1, "the name of a dim");
  require_new_dim(call, name);
  const int position = optional_slot(call, 2);
  if (position < 0)
    call.fault("the dim {} has no position: Dim(\"{}\", 0) is the first of the list of dims", name,
               name);
  return call.push(Value(DimRef{call.builder().dim(name, position)}));
}

// Graph("G", 2, "v0", {N}, 3, "v1", {N}, 4): slot 2 has the number of edges, and slots 3 and 4 have
// for each edge an element of N. Beside Array2D these are positions in lists of graphs, which no
// program hands over.
int declare_graph(Call& call) {
  EnergyBuilder& builder = call.builder();
  OptEnergy& opt = *call.load().opt;
  OptGraph graph;
  graph.name = call.identifier(1, "the name of a graph");
  require_new_dim(call, graph.name);
  const auto slot_at = [&](int i, const std::string& declared) {
    const int slot = optional_slot(call, i);
    require_slot(call, slot, declared);
    return opt.has_images() ? -1 : slot;
  };
  const int count_slot = slot_at(2, fmt::format("the number of edges of {}", graph.name));
  if (call.num_arguments() < 5 || (call.num_arguments() - 2) % 3 != 0)
    call.fault(
        "expected a name, a list of dims and a slot for each vertex of an edge, Graph(\"{}\", {}, "
        "\"v0\", {{N}}, 3, \"v1\", {{N}}, 4); found {} arguments",
        graph.name, count_slot, call.num_arguments());
  const DimId edges = builder.edges(graph.name, count_slot, call.where());
  graph.edge = builder.add_domain(edges);
  const IndexExpr edge(&builder, call.graph().indices().component(graph.edge));
  for (int i = 3; i < call.num_arguments(); i += 3) {
    const std::string vertex = call.identifier(i, "the name of a vertex");
    const std::vector<DimId> dims = dim_list(call, i + 1, "the dims that the vertex is one of");
    const int slot = slot_at(i + 2, fmt::format("the vertex {}", vertex));
    if (graph.vertices.contains(vertex))
      call.fault("the graph {} has two vertices of the name {}", graph.name, vertex);
    const MapId map =
        builder
            .map(fmt::format("{}_{}", graph.name, vertex), {edges}, dims, slot, false, call.where())
            .id();
    std::vector<Affine>& index = graph.vertices[vertex];
    for (std::size_t output = 0; output < dims.size(); ++output)
      index.push_back(builder.lookup(map, {edge}, static_cast<int>(output), call.where()).affine());
  }
  return call.push(Value(GraphRef{opt.add_graph(std::move(graph))}));
}

// G.v0: the index of a vertex.
int read_vertex(Call& call) {
  const OptGraph& graph = call.load().opt->graph(call.expect<GraphRef>(1, "a graph").number);
  const std::string name = call.text(2, "the name of a vertex");
  const auto found = graph.vertices.find(name);
  if (found != graph.vertices.end()) return call.push(Value(IndexTuple{found->second}));
  std::vector<std::string> legal;
  for (const auto& [vertex, index] : graph.vertices) legal.push_back(vertex);
  throw Fault{
      fmt::format("the graph {} has no vertex '{}'{}", graph.name, name, did_you_mean(name, legal)),
      legal};
}

constexpr HostFunction OptDeclarations[] = {
    {"Array", &declare<Declaration::Kind::Array>},
    {"Array1D", &declare_image<1>},
    {"Array2D", &declare_image<2>},
    {"Array3D", &declare_image<3>},
    {"Dim", &declare_opt_dim},
    {"Graph", &declare_graph},
    {"Image", &declare<Declaration::Kind::Array>},
    {"Param", &declare<Declaration::Kind::Param>},
    {"Unknown", &declare<Declaration::Kind::Unknown>},
};
constexpr HostFunction GraphMember = {"__index", &read_vertex};

}  // namespace

void add_opt_declarations(lua_State* state) {
  add_functions(state, OptDeclarations);
  constexpr int MaxVector = 12;
  for (int n = 1; n <= MaxVector; ++n) {
    const std::string name = n == 1 ? "opt_float" : fmt::format("opt_float{}", n);
    push_value(state, Type{name, ScalarType::Working, n});
    lua_setfield(state, -2, name.c_str());
  }
  luaL_getmetatable(state, kind_name(Value(GraphRef{})));
  add_functions(state, std::span(&GraphMember, 1));
  lua_pop(state, 1);
}

}  // namespace thallo::language
