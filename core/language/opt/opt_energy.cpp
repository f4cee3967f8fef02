#include "core/language/opt/opt_energy.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace thallo::language {
namespace {

// Bounds a coordinate of any pixel, whose dim is not known. It differs from the dim of the
// coordinate itself, with which the graph would take every coordinate to be inside.
constexpr DimId DimOfAnyImage(std::numeric_limits<std::uint32_t>::max() - 1);

}  // namespace

const std::vector<DomainId>& OptEnergy::pixel(const std::vector<DimId>& space) {
  std::vector<DomainId>& loop = pixels_[space];
  if (loop.empty())
    for (const DimId dim : space) loop.push_back(builder_.add_domain(dim));
  return loop;
}

Affine OptEnergy::any_coordinate(std::size_t number, std::size_t num_dims) {
  IndexTable& indices = graph().indices();
  auto found = std::ranges::find_if(any_pixel_, [&](const Coordinate& known) {
    return known.number == number && known.num_dims == num_dims;
  });
  if (found == any_pixel_.end()) {
    const DomainId variable = indices.add_domain(DimId(), fmt::format("coordinate {}", number));
    found = any_pixel_.insert(found, {variable, number, num_dims});
  }
  return indices.component(found->variable);
}

ExprId OptEnergy::coordinate(std::size_t d) { return graph().index_value(any_coordinate(d, 0)); }

ExprId OptEnergy::in_bounds(std::size_t d, std::size_t num_dims, std::int64_t offset) {
  Affine component = any_coordinate(d, num_dims);
  component.constant = offset;
  return graph().in_bounds(component, DimOfAnyImage);
}

std::size_t OptEnergy::add_graph(OptGraph graph) {
  graphs_.push_back(std::move(graph));
  return graphs_.size() - 1;
}

OptEnergy::Space OptEnergy::image(const std::vector<DimId>& space) { return {space, pixel(space)}; }

std::string OptEnergy::name_of(const Space& space) const {
  if (!space.is_image()) {
    const auto found = std::ranges::find(graphs_, space.loop.front(), &OptGraph::edge);
    return fmt::format("the graph {}", found->name);
  }
  std::vector<std::string> names;
  for (const DimId dim : space.image) names.push_back(builder_.data().dims[dim.index()].name);
  return fmt::format("images over ({})", fmt::join(names, ", "));
}

Expected<std::optional<OptEnergy::Space>> OptEnergy::space_of(ExprId value) {
  std::optional<Space> result;
  for (const DomainId domain : graph().access_domains(value)) {
    if (std::ranges::find(any_pixel_, domain, &Coordinate::variable) != any_pixel_.end()) continue;
    Space space{{}, {domain}};
    for (const auto& [image, loop] : pixels_)
      if (std::ranges::find(loop, domain) != loop.end()) space = {image, loop};
    if (result && result->loop != space.loop)
      return fail(
          "a residual or an array is over the pixels of one image space or over the edges of one "
          "graph, and this one reads {} and {}",
          name_of(*result), name_of(space));
    result = std::move(space);
  }
  return result;
}

Expected<void> OptEnergy::check_coordinate(const Coordinate& coordinate, const Space& space) const {
  if (!space.is_image()) {
    return fail(
        "InBounds and Index mention coordinate {} of a pixel, which an edge of {} does not "
        "have",
        coordinate.number, name_of(space));
  }
  const std::size_t num_dims = space.image.size();
  if (coordinate.num_dims > 0 && coordinate.num_dims != num_dims) {
    return fail("InBounds has an offset for each dim, and {} have {}; found {}", name_of(space),
                num_dims, coordinate.num_dims);
  }
  if (coordinate.number >= num_dims) {
    return fail("Index mentions coordinate {} of a pixel, which {} do not have", coordinate.number,
                name_of(space));
  }
  return {};
}

Expected<ExprId> OptEnergy::in_space(ExprId value, const Space& space) {
  const IndexTable& indices = graph().indices();
  const std::vector<DomainId>& free = graph().free_domains(value);
  DomainSubstitution coordinates;
  for (const Coordinate& coordinate : any_pixel_) {
    if (!std::ranges::binary_search(free, coordinate.variable)) continue;
    THALLO_CHECK(check_coordinate(coordinate, space));
    coordinates[coordinate.variable] = graph().indices().component(space.loop[coordinate.number]);
  }
  if (coordinates.empty()) return value;
  return graph().rewrite(value, [&](ExprId leaf) -> std::optional<ExprId> {
    const Op op = graph()[leaf].op;
    if (op != Op::InBounds && op != Op::IndexValue) return {};
    const Affine component = indices[graph().index(leaf)].front();
    const Affine in_image = graph().indices().substitute(component, coordinates);
    if (in_image == component) return {};
    if (op == Op::IndexValue) return graph().index_value(in_image);
    const DomainId of = indices.atom(in_image.terms.front().atom).domain;
    return graph().in_bounds(in_image, indices.domain(of).dim);
  });
}

std::optional<OptEnergy::Box> OptEnergy::box_of(const std::vector<ExprId>& values,
                                                const Space& space) {
  Box box{std::vector<std::int64_t>(space.loop.size()),
          std::vector<std::int64_t>(space.loop.size())};
  for (const ExprId id : graph().reachable(values)) {
    if (graph()[id].op == Op::InBounds) return {};
    if (graph()[id].op != Op::Access) continue;
    const auto stored = boxes_.find(graph().field(id));
    const MultiIndex& index = graph().indices()[graph().index(id)];
    for (std::size_t d = 0; d < index.size(); ++d) {
      const std::int64_t offset = index[d].constant;
      const bool is_wider = stored != boxes_.end();
      box.low[d] = std::min(box.low[d], offset + (is_wider ? stored->second.low[d] : 0));
      box.high[d] = std::max(box.high[d], offset + (is_wider ? stored->second.high[d] : 0));
    }
  }
  return box;
}

void OptEnergy::add_box(FieldId stored, const std::vector<ExprId>& values, const Space& space) {
  if (auto box = box_of(values, space)) boxes_.emplace(stored, *std::move(box));
}

Expected<ExprId> OptEnergy::residual_in_space(ExprId residual, const Space& space) {
  const auto in_image = in_space(residual, space);
  if (!in_image || !space.is_image()) return in_image;
  const std::optional<Box> box = box_of({residual}, space);
  if (!box) return in_image;
  ExprId inside = graph().boolean(true);
  for (std::size_t d = 0; d < space.loop.size(); ++d) {
    for (const std::int64_t offset : {box->low[d], box->high[d]}) {
      Affine component = graph().indices().component(space.loop[d]);
      component.constant += offset;
      inside = graph().mul(inside, graph().in_bounds(component, space.image[d]));
    }
  }
  return graph().select(inside, *in_image, graph().constant(0));
}

std::optional<SourceLocation> OptEnergy::name_array(const std::string& name, SourceLocation where) {
  const auto [array, is_new] = arrays_.try_emplace(name, std::move(where));
  if (is_new) return {};
  return array->second;
}

void OptEnergy::add_term(std::vector<std::pair<ExprId, Space>> residuals, SourceLocation where) {
  terms_.push_back({std::move(residuals), std::move(where)});
}

void OptEnergy::exclude(ExprId condition, const Space& space, SourceLocation where) {
  const auto found = std::ranges::find(exclusions_, space.loop,
                                       [](const Exclusion& earlier) { return earlier.space.loop; });
  if (found == exclusions_.end()) {
    exclusions_.push_back({condition, space, std::move(where)});
  } else {
    found->condition = graph().binary(Op::Or, found->condition, condition);
  }
}

ExprId OptEnergy::without_excluded(ExprId residual, const Space& space) {
  for (const Exclusion& exclusion : exclusions_)
    if (exclusion.space.loop == space.loop)
      residual = graph().select(exclusion.condition, graph().constant(0), residual);
  return residual;
}

void OptEnergy::finish() {
  int number = 0;
  const auto num_digits = fmt::formatted_size("{}", terms_.size());  // so that names are in order
  for (const Term& term : terms_) {
    std::vector<Expr> residuals;
    for (const auto& [residual, space] : term.residuals)
      residuals.emplace_back(&builder_, without_excluded(residual, space));
    builder_.residual(fmt::format("e{:0{}}", ++number, num_digits), Vec(std::move(residuals)),
                      term.where);
  }
  for (const Exclusion& exclusion : exclusions_) hold_unknowns(exclusion);
}

void OptEnergy::hold_unknowns(const Exclusion& exclusion) {
  bool holds_any = false;
  for (std::size_t i = 0; i < builder_.data().fields.size(); ++i) {
    const Field& field = builder_.data().fields[i];
    if (field.kind != FieldKind::Unknown || field.dims != exclusion.space.image) continue;
    holds_any = true;
    builder_.exclude(FieldId(i), exclusion.space.loop, Expr(&builder_, exclusion.condition),
                     exclusion.where);
  }
  if (holds_any) return;
  builder_.report(
      {fmt::format("Exclude: no unknown is among the {}, whose pixels the condition is over",
                   name_of(exclusion.space)),
       exclusion.where});
}

}  // namespace thallo::language
