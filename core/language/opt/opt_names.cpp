#include "core/language/opt/opt_names.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/suggest.h"
#include "core/language/declarations.h"
#include "core/language/dialect.h"
#include "core/language/functions.h"
#include "core/language/opt/opt_energy.h"
#include "core/language/reads.h"

namespace thallo::language {
namespace {

using Space = OptEnergy::Space;

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
  call.fault_unknown(fmt::format("the graph {} has no vertex", graph.name), name,
                     names_of(graph.vertices, [](const auto& vertex) { return vertex.first; }));
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

// Adds names to the table on the top of the stack, and the vertices to the members of graphs.
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

// Published texts have some dozens.
constexpr std::size_t MaxTerms = 10'000;

// Throws a fault of the call in place of the error.
template <class T>
T value_or_fault(Call& call, Expected<T> expected) {
  if (!expected) call.fault("{}", expected.error().what);
  return *std::move(expected);
}

// The offset along a dim; far ones are faults of a loop.
std::int64_t offset_at(Call& call, int i) {
  return call.integer(i, "an offset from the pixel, which is an integer");
}

// X(1, 0): the element so far from the pixel; X(G.v0): the element at a vertex. Then perhaps a
// channel.
int read_relative(Call& call) {
  const FieldId field = call.expect<FieldRef>(1, "a field").id;
  const std::vector<DimId> dims = call.load().data().fields[field.index()].dims;
  const int rank = static_cast<int>(dims.size());
  std::vector<Affine> index;
  int channel = 3;
  if (const auto* vertex = call.find<IndexTuple>(2)) {
    index = vertex->components;
  } else {
    if (call.num_arguments() < rank + 1)
      call.fault("{} has {} dims, and is read at as many offsets from the pixel; found {}",
                 call.describe(1), rank, call.num_arguments() - 1);
    const std::vector<DomainId>& pixel = call.load().opt->pixel(dims);
    for (int d = 0; d < rank; ++d) {
      index.push_back(call.graph().indices().component(pixel[static_cast<std::size_t>(d)]));
      index.back().constant += offset_at(call, d + 2);
    }
    channel = rank + 2;
    if (rank == 1 && call.load().opt->is_image(field) && call.has(channel)) {
      if (const std::int64_t across = offset_at(call, channel++); across != 0)
        call.fault("{} has one dim, so that its second offset is 0; found {}", call.describe(1),
                   across);
    }
  }
  if (call.num_arguments() > channel)
    call.fault("{} is read at {}, and then perhaps a channel; found {} arguments", call.describe(1),
               channel == 3 && rank != 1 ? "a vertex" : "its offsets", call.num_arguments() - 1);
  const Elements channels = read(call, field, index);
  if (call.has(channel))
    return call.push_scalar(channel_of(call, channels, call.integer(channel, "a channel")));
  return call.push(channels);
}

// InBounds(1, 0): is the pixel so far away in the image?
int in_bounds_relative(Call& call) {
  if (call.num_arguments() == 0)
    call.fault("expected an offset from the pixel for each dim, e.g. InBounds(1, 0)");
  ExprId result = call.graph().boolean(true);
  const auto num_dims = static_cast<std::size_t>(call.num_arguments());
  for (std::size_t d = 0; d < num_dims; ++d) {
    const std::int64_t offset = offset_at(call, static_cast<int>(d) + 1);
    result = call.graph().mul(result, call.load().opt->in_bounds(d, num_dims, offset));
  }
  return call.push_scalar(result);
}

// InBoundsExpanded(1, 0, e): are all pixels around that one, up to a distance e in each dim?
int in_bounds_expanded_relative(Call& call) {
  const int last = call.num_arguments();
  if (last < 2)
    call.fault(
        "expected offsets and a distance, e.g. InBoundsExpanded(0, 0, 1), found {} "
        "arguments",
        last);
  const std::int64_t distance = call.integer(last, "a distance, which is an integer");
  ExprId result = call.graph().boolean(true);
  const auto num_dims = static_cast<std::size_t>(last) - 1;
  for (std::size_t d = 0; d < num_dims; ++d) {
    const std::int64_t offset = offset_at(call, static_cast<int>(d) + 1);
    for (const std::int64_t shift : {offset - distance, offset + distance})
      result = call.graph().mul(result, call.load().opt->in_bounds(d, num_dims, shift));
  }
  return call.push_scalar(result);
}

// Index(0): the first coordinate of the pixel, as a number.
int index_of_pixel(Call& call) {
  const std::int64_t d = call.integer(1, "the number of a dim");
  constexpr std::int64_t MaxDims = 16;
  if (d < 0 || d >= MaxDims) call.fault("dims count from 0, found {}", d);
  return call.push_scalar(call.load().opt->coordinate(static_cast<std::size_t>(d)));
}

// Energy(a, b, ...): the residuals are summed, squared.
int add_energy(Call& call) {
  if (call.num_arguments() == 0)
    call.fault("expected residuals, e.g. Energy(w * (X(0, 0) - A(0, 0)))");
  OptEnergy& opt = *call.load().opt;
  for (int i = 1; i <= call.num_arguments(); ++i) {
    std::vector<std::pair<ExprId, Space>> residuals;
    for (const ExprId id : call.elements(i, "a residual").ids) {
      const auto space = value_or_fault(call, opt.space_of(id));
      if (!space) {
        if (call.graph().is_constant(id, 0)) continue;  // e.g. of a Select that is never true
        call.fault("the residual reads no field, so that it is over no image and no graph");
      }
      residuals.emplace_back(value_or_fault(call, opt.residual_in_space(id, *space)), *space);
    }
    if (opt.num_terms() == MaxTerms)
      throw Stop{fmt::format(
          "Energy is given more than {} terms; does a loop add them without end?", MaxTerms)};
    if (!residuals.empty()) opt.add_term(std::move(residuals), call.where());
  }
  return 0;
}

// Exclude(condition)
int exclude_pixels(Call& call) {
  OptEnergy& opt = *call.load().opt;
  if (call.num_arguments() > 1)
    call.fault("takes one condition, found {} arguments; join conditions by Or(a, b)",
               call.num_arguments());
  const ExprId condition = condition_argument(call, 1);
  const auto space = value_or_fault(call, opt.space_of(condition));
  if (!space || !space->is_image())
    call.fault(
        "the condition reads {}; to exclude pixels it reads a field over their image, "
        "Exclude(eq(Mask(0, 0), 0))",
        space ? "fields at the vertices of edges" : "no field");
  opt.exclude(value_or_fault(call, opt.in_space(condition, *space)), *space, call.where());
  return 0;
}

// ComputedArray("B", {W, H}, e), or ComputedArray(W, H, e): e at every pixel, read at offsets as
// B(0, 0).
int make_stored_array(Call& call) {
  OptEnergy& opt = *call.load().opt;
  std::string name;
  std::vector<DimId> dims;
  while (const auto* dim = call.find<DimRef>(static_cast<int>(dims.size()) + 1))
    dims.push_back(dim->id);
  int next = static_cast<int>(dims.size()) + 1;
  if (dims.empty()) {
    name = call.identifier(next++, "a name");
    dims = dim_list(call, next++, "the dims of the array");
  }
  if (const auto earlier = name.empty() ? std::nullopt : opt.name_array(name, call.where()))
    call.fault("there is an array of the name '{}' already, first at {}; each one has its own",
               name, earlier->text());
  const Space space = opt.image(dims);
  const Elements written = call.elements(next);
  std::vector<ExprId> values;
  for (const ExprId id : written.ids) {
    const auto own = value_or_fault(call, opt.space_of(id));
    if (own && own->loop != space.loop)
      call.fault(
          "the value reads fields over other dims than those of the array, or at vertices; an "
          "array "
          "has one value for each pixel");
    values.push_back(value_or_fault(call, opt.in_space(id, space)));
  }
  const FieldId field = call.load().store(name, space.loop, values, call.where());
  opt.add_box(field, written.ids, space);
  return call.push(Value(FieldRef{field}));
}

constexpr HostFunction OptFunctions[] = {
    {"ComputedArray", &make_stored_array},
    {"Energy", &add_energy},
    {"Exclude", &exclude_pixels},
    {"InBounds", &in_bounds_relative},
    {"InBoundsExpanded", &in_bounds_expanded_relative},
    {"Index", &index_of_pixel},
};
constexpr HostFunction FieldCall = {"__call", &read_relative};

}  // namespace

void use_opt_names(TextLoad& load) {
  lua_State* state = load.lua().raw();
  for (const std::string_view name : names_of_thallo_alone()) {
    lua_pushnil(state);
    lua_setfield(state, -2, std::string(name).c_str());
  }
  add_opt_declarations(state);
  add_functions(state, OptFunctions);
  luaL_getmetatable(state, kind_name(Value(FieldRef{})));
  add_functions(state, std::span(&FieldCall, 1));
  // Stored arrays are scheduled in schedules alone, and Exclude is about all unknowns.
  lua_newtable(state);
  lua_setfield(state, -2, "methods");
  lua_pop(state, 1);
}

const char* const OptPrelude = R"lua(
function Dot3(a, b) return dot(a, b) end
function Matrix3x3Mul(m, v) return gemv(m, v) end

-- The weight of |v|^p by iterative reweighting, from v as it was before the iteration.
local num_weights = 0
function L_p(v, v_before, p, dims)
  num_weights = num_weights + 1
  local weight = sqrt(pow(L_2_norm(v_before) + 1e-7, p - 2))
  local pixel = {}
  for i = 1, #dims do pixel[i] = 0 end
  return ComputedArray("L_p_weight" .. num_weights, dims, weight)(unpack(pixel)) * v
end
)lua";

}  // namespace thallo::language
