#include "core/language/opt/opt_names.h"

#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/language/declarations.h"
#include "core/language/dialect.h"
#include "core/language/functions.h"
#include "core/language/opt/opt_declarations.h"
#include "core/language/opt/opt_energy.h"
#include "core/language/reads.h"

namespace thallo::language {
namespace {

using Space = OptEnergy::Space;

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
