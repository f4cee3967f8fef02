#pragma once

// The expression graph: an append-only, hash-consed array of scalar expression nodes. Equal
// expressions are one node, and operands have smaller ids than their users, so id order is a
// topological order. Every node is simplified when it is built: constants folded, like terms and
// equal bases collected, neutral elements dropped, boolean products reduced. Sums and products are
// n-ary and flat; their operands are ordered by a 128-bit content hash, never by id, so what is
// printed and compiled does not depend on the order in which a graph was built.
//
// Everything here is scalar: vectors and matrices exist only in the layers above (the C++ builder
// and the Lua front end), and an access selects one channel of its field.

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/base/hash.h"
#include "core/ir/ids.h"
#include "core/ir/index.h"
#include "core/ir/op.h"

namespace thallo {

// One node. What a, b and c mean depends on op; what a line leaves out is 0:
//
//   op           a                       b                           c               channel
//   Constant     low half of the double  high half of the double
//   Access       FieldId                 IndexId                                     of the field
//   InBounds     IndexId, one component  DimId
//   IndexValue   IndexId, one component
//   Argument                                                                         its number
//   Sample       x                       y                           sampler number  of the image
//   SampleLayer  first operand's slot    3                           FieldId         of the images
//   Sum          summand                 domain list's number        SumKind
//   Add, Mul     first operand's slot    number of operands
//   PowI         base                    exponent, two's complement
//   others       first operand           second operand              third operand
//
// An operand's slot is its position in ExprGraph::operands_, a sampler number a position in
// samplers_, a domain list's number a position in domain_lists_.
// How a Sum is accumulated: as its kernel computes, or in double; or it is the largest of numbers
// that are not negative, in double.
enum class SumKind : std::uint32_t { Working, Double, Largest };

struct ExprNode {
  Op op = Op::Constant;
  bool is_boolean = false;  // the value is always 0 or 1
  std::uint16_t channel = 0;
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  std::uint32_t c = 0;
};
static_assert(sizeof(ExprNode) == 16);

// A 2-D image and the images declared as its derivatives along x and y (invalid when none is
// declared).
struct Sampler {
  FieldId image;
  FieldId dx;
  FieldId dy;
  friend bool operator==(const Sampler&, const Sampler&) = default;
};

class ExprGraph {
 public:
  IndexTable& indices() { return indices_; }
  const IndexTable& indices() const { return indices_; }

  // Leaves.
  ExprId constant(double value);
  ExprId boolean(bool value) { return constant(value ? 1 : 0); }
  ExprId access(FieldId field, IndexId index, int channel);
  ExprId in_bounds(const Affine& component, DimId dim);
  ExprId index_value(const Affine& component);
  ExprId argument(int number);

  // Interior nodes. apply() takes every op that is given by its operands alone; the named functions
  // are the readable way in.
  ExprId apply(Op op, std::span<const ExprId> operands);
  ExprId unary(Op op, ExprId a) { return apply(op, std::span(&a, 1)); }
  ExprId binary(Op op, ExprId a, ExprId b);
  ExprId add(ExprId a, ExprId b) { return binary(Op::Add, a, b); }
  ExprId add(std::span<const ExprId> terms) { return apply(Op::Add, terms); }
  ExprId sub(ExprId a, ExprId b) { return add(a, neg(b)); }
  ExprId neg(ExprId a) { return mul(constant(-1), a); }
  ExprId mul(ExprId a, ExprId b) { return binary(Op::Mul, a, b); }
  ExprId mul(std::span<const ExprId> factors) { return apply(Op::Mul, factors); }
  ExprId div(ExprId a, ExprId b) { return mul(a, powi(b, -1)); }
  ExprId powi(ExprId base, int exponent);
  ExprId pow(ExprId base, ExprId exponent) { return binary(Op::Pow, base, exponent); }
  ExprId select(ExprId condition, ExprId then_value, ExprId else_value);
  ExprId logical_not(ExprId a) { return unary(Op::Not, a); }
  // Returns the sum over all points of the domains. If the summand does not mention a domain, it is
  // added as many times as the domain has points.
  ExprId sum(std::vector<DomainId> domains, ExprId summand, SumKind kind = SumKind::Working);
  ExprId sample(const Sampler& sampler, ExprId x, ExprId y, int channel);
  ExprId sample_layer(FieldId images, ExprId x, ExprId y, ExprId layer, int channel);

  // Looking at nodes.
  const ExprNode& operator[](ExprId id) const { return nodes_[id.value()]; }
  std::size_t size() const { return nodes_.size(); }
  // Returns how many operands all sums and products have together. A sum that grows term by term
  // has them anew for each term.
  std::size_t num_operands() const { return operands_.size(); }
  std::vector<ExprId> operands(ExprId id) const;
  bool is_constant(ExprId id) const { return (*this)[id].op == Op::Constant; }
  bool is_constant(ExprId id, double value) const {
    return is_constant(id) && constant_value(id) == value;
  }
  bool is_boolean(ExprId id) const { return (*this)[id].is_boolean; }
  double constant_value(ExprId id) const;
  int exponent(ExprId id) const { return static_cast<int>((*this)[id].b); }
  FieldId field(ExprId id) const { return FieldId((*this)[id].a); }
  IndexId index(ExprId id) const;
  int channel(ExprId id) const { return (*this)[id].channel; }
  DimId bound_dim(ExprId id) const { return DimId((*this)[id].b); }
  FieldId layers(ExprId id) const { return FieldId((*this)[id].c); }  // a SampleLayer's images
  const Sampler& sampler(ExprId id) const { return samplers_[(*this)[id].c]; }
  const std::vector<DomainId>& sum_domains(ExprId id) const { return domain_lists_[(*this)[id].b]; }
  SumKind sum_kind(ExprId id) const { return static_cast<SumKind>((*this)[id].c); }
  Hash128 hash(ExprId id) const { return hashes_[id.value()]; }

  // Returns the line of the author's text (from 1) where the expression was first written, or, of
  // an expression that was derived from others, the line of what it was derived from. Returns 0 if
  // it is not known or there are several. Lines are not part of a node: equal expressions are one
  // node, whatever their lines.
  int line(ExprId id) const {
    const std::uint32_t line = lines_[id.value()];
    return line == SeveralLines ? 0 : static_cast<int>(line);
  }
  // Returns the known lines of all operations reachable from the roots, ascending. Leaves do not
  // count: what several lines read is one leaf, which has the line of the first.
  std::vector<int> lines(std::span<const ExprId> roots) const;
  // While it lives, nodes that are added get a line: the one given, or that of a node. Without it
  // (and for the line 0) a node gets the line of its operands, if they have one in common.
  class LineScope {
   public:
    LineScope(ExprGraph& graph, int line) : LineScope(graph, static_cast<std::uint32_t>(line)) {}
    LineScope(ExprGraph& graph, ExprId of) : LineScope(graph, graph.lines_[of.value()]) {}
    ~LineScope() { graph_.line_ = before_; }
    LineScope(const LineScope&) = delete;
    LineScope& operator=(const LineScope&) = delete;

   private:
    LineScope(ExprGraph& graph, std::uint32_t line)
        : graph_(graph), before_(std::exchange(graph.line_, line)) {}

    ExprGraph& graph_;
    std::uint32_t before_;
  };

  // Returns the domains that the value depends on, ascending: those of its accesses, bounds, index
  // values and of the elements of runs (Domain::at), except those bound by a Sum.
  const std::vector<DomainId>& free_domains(ExprId id) const {
    return domain_lists_[free_domains_[id.value()]];
  }
  // Like free_domains(), for accesses and index values alone. These are a residual's own domains: a
  // domain that occurs only in bounds tests or runs adds no residuals.
  const std::vector<DomainId>& access_domains(ExprId id) const {
    return domain_lists_[access_domains_[id.value()]];
  }

  // Returns the value of a product under the selection rule: 0 if a boolean factor is 0.
  static double evaluate_product(std::span<const double> values, std::span<const bool> is_boolean);

  // Returns all nodes reachable from the roots, ascending (operands before users), each once.
  std::vector<ExprId> reachable(std::span<const ExprId> roots) const;
  // Returns the reachable Access nodes, ascending. Samples are not included.
  std::vector<ExprId> accesses(std::span<const ExprId> roots) const;

  // Returns the same operation on other operands, simplified.
  ExprId with_operands(ExprId id, const std::vector<ExprId>& operands);

  // What was rebuilt of expressions. Calls that share it, and do the same to their roots, rebuild
  // once what these have in common.
  using Rebuilt = std::unordered_map<ExprId, ExprId>;
  // Rebuilds `root` with domains replaced. Sum domains are bound: they are renamed when a
  // replacement would capture them.
  ExprId substitute(ExprId root, const DomainSubstitution& substitution);
  ExprId substitute(ExprId root, const DomainSubstitution& substitution, Rebuilt& known);
  // Rebuilds `root` with these nodes replaced; a replacement is taken as it is, without replacing
  // nodes inside of it.
  ExprId replace(ExprId root, const std::map<ExprId, ExprId>& replacements);
  // Rebuilds `root` with every leaf (Access, InBounds, IndexValue, Constant) replaced by what
  // `replace` returns for it, if anything. Samples go to `replace` too, after their operands were
  // rebuilt.
  using LeafRule = std::function<std::optional<ExprId>(ExprId leaf)>;
  ExprId rewrite(ExprId root, const LeafRule& replace);
  ExprId rewrite(ExprId root, const LeafRule& replace, Rebuilt& known);

  // The current size of the graph. rewind() removes everything added since, and its ids are used
  // again.
  struct Mark {
    std::size_t nodes = 0, operands = 0;
    IndexTable::Mark indices;
  };
  Mark mark() const { return {nodes_.size(), operands_.size(), indices_.mark()}; }
  void rewind(const Mark& mark);

 private:
  ExprId intern(const ExprNode& node, std::span<const ExprId> nary_operands, Hash128 key);
  ExprId make(ExprNode node, std::span<const ExprId> nary_operands = {});
  Hash128 hash_of(const ExprNode& node, std::span<const ExprId> nary_operands) const;
  std::uint32_t intern_domains(std::vector<DomainId> domains);
  void sort_by_hash(std::vector<ExprId>& operands) const;

  ExprId simplify_add(std::span<const ExprId> terms);
  ExprId simplify_mul(std::span<const ExprId> factors);
  // Return what simplify_add() and simplify_mul() do, in less time, if the sum or product has
  // nothing to be collected with its new operand. Return nothing otherwise.
  std::optional<ExprId> append_term(ExprId sum, ExprId term);
  std::optional<ExprId> append_factor(ExprId product, ExprId factor);
  ExprId appended(ExprId to, ExprId operand, bool is_boolean);
  std::span<const ExprId> nary_operands(ExprId id) const {
    return std::span(operands_).subspan((*this)[id].a, (*this)[id].b);
  }
  ExprId simplify_unary(Op op, ExprId a);
  ExprId simplify_binary(Op op, ExprId a, ExprId b);
  std::pair<ExprId, double> split_coefficient(ExprId term);

  static constexpr std::uint32_t SeveralLines = ~std::uint32_t{0};

  IndexTable indices_;
  std::vector<ExprNode> nodes_;
  std::vector<Hash128> hashes_;
  std::vector<std::uint32_t> lines_;  // 0: unknown
  std::uint32_t line_ = 0;            // of nodes that are added; 0: that of their operands
  std::vector<std::uint32_t> free_domains_;
  std::vector<std::uint32_t> access_domains_;
  std::vector<ExprId> operands_;
  std::vector<Sampler> samplers_;
  // A deque, so that references stay valid while nodes are added.
  std::deque<std::vector<DomainId>> domain_lists_;
  std::map<std::vector<DomainId>, std::uint32_t> domain_list_ids_;
  std::unordered_map<Hash128, ExprId> ids_;
};

}  // namespace thallo
