#pragma once

// The Plan: an Energy together with every scheduling decision, in the form lowering reads.
// Constructs edit it (construct.h); default_plan() is the schedule without any choice. What is
// stored, recomputed, parallel and in which order is said here and nowhere else. Every plan
// computes the same operator (JtF, d, JtJp, cost).

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/properties.h"
#include "core/energy/energy.h"
#include "core/schedule/vector_order.h"

namespace thallo {

class Construct;

// How JtJ*p is formed. What is stored is stored before the linear solve, Jp in every iteration.
enum class Strategy {
  JtJp,                // nothing is stored
  StoredJp,            // Jt[Jp]
  StoredJtJ,           // [JtJ]p
  StoredJ,             // [Jt][[J]p]
  StoredJtJOfStoredJ,  // [[Jt][J]]p
};
inline constexpr std::array AllStrategies = {Strategy::JtJp, Strategy::StoredJp,
                                             Strategy::StoredJtJ, Strategy::StoredJ,
                                             Strategy::StoredJtJOfStoredJ};
std::string_view to_string(Strategy strategy);  // "[Jt][[J]p]"
bool stores_j(Strategy strategy);
bool stores_jtj(Strategy strategy);
bool stores_jp(Strategy strategy);

// Where a transposed product is accumulated: one thread per residual point scatters with atomic
// additions, or one thread per element of an unknown space gathers.
enum class ComputeAt { Residual, Output };

// How a stored J or JtJ lies in memory. Structured: values only, in the order of the energy's own
// index maps. Blocks (a JtJ): one for each pair of elements that meet. Both are multiplied by
// generated kernels, Csr and Dense by libraries.
enum class StorageFormat { Structured, Blocks, Csr, Dense };
std::string_view to_string(StorageFormat format);

// A named intermediate is recomputed at each read, or its values and its derivatives by the
// unknowns (each by itself) are stored once per nonlinear iteration.
struct Materialization {
  bool value = false;
  bool gradient = false;

  friend bool operator==(const Materialization&, const Materialization&) = default;
};

// A serial Sum is computed by the thread that needs it; a parallel one by a kernel over the points
// of the Sum, which stores its values.
struct PlannedSum {
  ExprId sum;  // as it stands in the energy
  std::string name;
  bool is_parallel = false;
};

// A scalar residual of the energy.
struct ResidualRef {
  std::size_t group = 0;     // index into energy.groups()
  std::size_t residual = 0;  // index into group.residuals

  friend auto operator<=>(const ResidualRef&, const ResidualRef&) = default;
};

// Residuals scheduled together: one kernel per product.
struct Part {
  std::string name;                    // made of its members, see part_name()
  std::vector<ResidualRef> residuals;  // ascending
  std::vector<DomainId> order;         // iteration order, first = fastest across lanes
  Strategy strategy = Strategy::JtJp;
  StorageFormat j_format = StorageFormat::Structured;    // when stores_j(strategy)
  StorageFormat jtj_format = StorageFormat::Structured;  // when stores_jtj(strategy)
  // What stored products are kept in: Working, Float or Half; computed in is the working precision.
  // Working where they are added up in memory (a JtJ that is no diagonals) and where a library
  // multiplies them.
  ScalarType j_type = ScalarType::Working;
  ScalarType jtj_type = ScalarType::Working;
  ScalarType jp_type = ScalarType::Working;
  ComputeAt jtf = ComputeAt::Residual;   // b and d
  ComputeAt jtjp = ComputeAt::Residual;  // when nothing is stored
  ComputeAt jt = ComputeAt::Residual;    // the product of Jt with a stored Jp or with [J]p
};

// Is the product of what the part stores with p, or its two products with a stored J, a library's?
bool multiplies_by_library(const Part& part);

// A decision of a construct that has no field below: for its own lowering
// (core/kernel/construct_lowering.h). The site is a part, "fit", or one of its roles, "fit.jtf".
struct PlannedExtension {
  const Construct* construct = nullptr;
  std::string site;
  Properties args;

  // Is it about the role of the part, or about all of the part's?
  bool concerns(std::string_view part, std::string_view role) const;
};

struct Plan {
  std::vector<Part> parts;                        // in the order of their first residuals
  std::vector<Materialization> intermediates;     // one per energy.intermediates()
  std::vector<PlannedSum> sums;                   // those whose summand reads an unknown
  VectorOrder vector_order = VectorOrder::Plain;  // of the solver's own memory
  // What the vectors of PCG (p, r, z, Ap and the step x) are kept in: Working or Float.
  ScalarType vector_type = ScalarType::Working;
  std::vector<PlannedExtension> extensions;
  // What JtJp and p.JtJp may be off, relative to the sums of the magnitudes that make them, since
  // less than the working precision is kept: the largest that a construct declares.
  double product_tolerance = 0;
  // The working precision of the programs that are asked for; what constructs offer may depend on
  // it, what is legal does not.
  bool double_precision = false;
};

// One part per named group, JtJp at residual, intermediates inlined, Sums serial, domains in
// declaration order.
Plan default_plan(const Energy& energy);

// "fit" for all residuals of the group fit, "fit_2" for its second, "fit_2_4" for the second to the
// fourth; those of several groups are joined, "fit_reg_1". A function of the members.
std::string part_name(const Energy& energy, const std::vector<ResidualRef>& residuals);

// "reg[2]": the second residual of the group reg.
std::string residual_name(const Energy& energy, ResidualRef residual);
// "reg[2]", or "reg" for the first of its group. Fails with the groups there are, or how many
// residuals the group has.
Expected<ResidualRef> find_residual(const Energy& energy, std::string_view name);
// "(w, h)"
std::string domains_text(const Energy& energy, const std::vector<DomainId>& domains);

// Null when there is none.
Part* find_part(Plan& plan, std::string_view name);
const Part* find_part(const Plan& plan, std::string_view name);
// The part that a residual belongs to.
Part& part_of(Plan& plan, ResidualRef residual);
const Part& part_of(const Plan& plan, ResidualRef residual);

// What the energy calls a domain: by default its dim in lower case, numbered from the second one
// on.
const std::string& domain_name(const Energy& energy, DomainId domain);
// The domains of a part as its first group declares them; its order is one of them.
const std::vector<DomainId>& declared_domains(const Energy& energy, const Part& part);
// What schedules call a domain of a part: as the energy does, numbered (t, t2) where another that
// is declared before it has that name already.
std::string domain_name(const Energy& energy, const Part& part, DomainId domain);

// All decisions, for people.
std::string to_string(const Energy& energy, const Plan& plan);

// What of a part is computed by kernels of its own, as the text of schedules names it: "jtf",
// "jtjp", "jp", "jt", "fill_j", "fill_jtj", "cost". Those that the part's decisions ask for.
std::vector<std::string> roles_of(const Energy& energy, const Part& part);
// Those of them that add to elements which several points contribute to.
std::vector<std::string> scattering_roles(const Energy& energy, const Part& part);

}  // namespace thallo
