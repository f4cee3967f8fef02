#pragma once

// What a text in Opt's dialect states, until the end of the text makes an energy of it.
//
// The text never names a loop variable. Its residuals are over the pixels of an image space (a list
// of dims), or over the edges of a graph, and it reads fields at offsets from the pixel, or at the
// vertices of the edge. Here every image space and every graph has loop variables of its own, and
// X(1, 0) is the read at (w + 1, h).
//
// InBounds(1, 0) and Index(0) mention a pixel and no image. They are made with loop variables that
// stand for the coordinates of any pixel, without a dim, and in_space() puts those of an image
// space in their place once it is known.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/energy/builder.h"

namespace thallo::language {

// The edges of Graph("G", 0, "v0", {N}, 1, "v1", {N}, 2).
struct OptGraph {
  std::string name;
  DomainId edge;
  std::map<std::string, std::vector<Affine>> vertices;  // the index that each stands for, by name
};

class OptEnergy {
 public:
  explicit OptEnergy(EnergyBuilder& builder) : builder_(builder) {}

  // Returns the loop variables of the pixels of an image space, one for each of its dims.
  const std::vector<DomainId>& pixel(const std::vector<DimId>& space);
  // Of any pixel: coordinate `d` as a number, and, in an image of so many dims, whether that
  // coordinate plus an offset is inside of the image.
  ExprId coordinate(std::size_t d);
  ExprId in_bounds(std::size_t d, std::size_t num_dims, std::int64_t offset);
  std::size_t add_graph(OptGraph graph);  // returns its number
  const OptGraph& graph(std::size_t number) const { return graphs_[number]; }

  // The image space or the graph that a value is over.
  struct Space {
    std::vector<DimId> image;    // empty for a graph
    std::vector<DomainId> loop;  // the variables of its pixels, or of its edges
    bool is_image() const { return !image.empty(); }
  };
  // Returns the space of what the value reads; absent if it reads nothing over a space. Fails if
  // that is several.
  Expected<std::optional<Space>> space_of(ExprId value);
  Space image(const std::vector<DimId>& space);
  // Returns the value with the coordinates of the space in the place of any pixel's. Fails if the
  // space has no such coordinate, or another number of dims than the value mentions.
  Expected<ExprId> in_space(ExprId value, const Space& space);

  // Returns the residual, as written, in its space and with the rule of its bounds: a residual that
  // mentions no InBounds is 0 at the pixels where the box of all its reads leaves the image.
  Expected<ExprId> residual_in_space(ExprId residual, const Space& space);
  // Remembers the box of what a stored array, as written, reads; a reader's box is wider by it.
  void add_box(FieldId stored, const std::vector<ExprId>& values, const Space& space);

  // An array of Array1D, Array2D or Array3D. One over one dim is read at two offsets, the second of
  // which is 0, as if it was a row of an image.
  void add_image(FieldId field) { images_.insert(field); }
  bool has_images() const { return !images_.empty(); }
  bool is_image(FieldId field) const { return images_.contains(field); }

  // Notes where a stored array of the name is stated; returns the place of an earlier one.
  std::optional<SourceLocation> name_array(const std::string& name, SourceLocation where);

  void add_term(std::vector<std::pair<ExprId, Space>> residuals, SourceLocation where);
  // Holds the unknowns over the image space, and leaves residuals out, where the condition is true,
  // or one that was given for the space before.
  void exclude(ExprId condition, const Space& space, SourceLocation where);
  std::size_t num_terms() const { return terms_.size(); }

  // Hands everything that was stated to the builder.
  void finish();

 private:
  struct Box {  // least and largest offset of each dim
    std::vector<std::int64_t> low, high;
  };
  struct Term {
    std::vector<std::pair<ExprId, Space>> residuals;
    SourceLocation where;
  };
  struct Exclusion {
    ExprId condition;
    Space space;
    SourceLocation where;
  };

  // Coordinate `number` of any pixel of an image of so many dims; 0: of any image.
  struct Coordinate {
    DomainId variable;
    std::size_t number = 0;
    std::size_t num_dims = 0;
  };

  ExprGraph& graph() { return builder_.graph(); }
  Affine any_coordinate(std::size_t number, std::size_t num_dims);
  Expected<void> check_coordinate(const Coordinate& coordinate, const Space& space) const;
  std::string name_of(const Space& space) const;  // "the images over (W, H)"
  std::optional<Box> box_of(const std::vector<ExprId>& values, const Space& space);
  ExprId without_excluded(ExprId residual, const Space& space);
  void hold_unknowns(const Exclusion& exclusion);

  EnergyBuilder& builder_;
  std::map<std::vector<DimId>, std::vector<DomainId>> pixels_;
  std::vector<Coordinate> any_pixel_;
  std::vector<OptGraph> graphs_;
  std::map<FieldId, Box> boxes_;
  std::set<FieldId> images_;
  std::map<std::string, SourceLocation> arrays_;  // by name
  std::vector<Term> terms_;
  std::vector<Exclusion> exclusions_;
};

}  // namespace thallo::language
