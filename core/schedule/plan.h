#pragma once

// The Plan holds every scheduling decision about one Energy, in the form that lowering reads.
// Constructs edit it (construct.h); default_plan() is the plan without any choice. No other place
// says what is stored, recomputed or parallel, and in which order. Every plan computes the same
// operator (JtF, d, JtJp, cost), where d is the diagonal of JtJ.

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/enum_names.h"
#include "core/base/properties.h"
#include "core/energy/energy.h"
#include "core/schedule/compute_at.h"
#include "core/schedule/precision.h"
#include "core/schedule/roles.h"
#include "core/schedule/vector_order.h"

namespace thallo {

class Construct;
class StorageLimit;

// How JtJ*p is formed. J and JtJ are stored before the linear solve, Jp in each of its iterations.
enum class Strategy {
  JtJp,  // nothing is stored
  StoredJp,
  StoredJtJ,
  StoredJ,
  StoredJtJOfStoredJ,
};
template <>
inline constexpr EnumNames enum_names<Strategy> = {
    "strategy", {"JtJp", "Jt[Jp]", "[JtJ]p", "[Jt][[J]p]", "[[Jt][J]]p"}};
inline constexpr auto AllStrategies = all_values<Strategy>();
bool stores_j(Strategy strategy);
bool stores_jtj(Strategy strategy);
bool stores_jp(Strategy strategy);

// How a stored J or JtJ lies in memory. Structured: values only, in the order of the energy's own
// index maps. Blocks (of a JtJ only): one for each pair of elements that meet in a residual.
// Generated kernels multiply both of these, libraries multiply Csr and Dense.
enum class StorageFormat { Structured, Blocks, Csr, Dense };
template <>
inline constexpr EnumNames enum_names<StorageFormat> = {"storage format",
                                                        {"structured", "blocks", "csr", "dense"}};
inline constexpr std::array AllStorageFormats = {StorageFormat::Structured, StorageFormat::Dense,
                                                 StorageFormat::Csr, StorageFormat::Blocks};

// What is stored of an intermediate once per nonlinear iteration: its values, its derivatives by
// the unknowns, both or neither. What is not stored is recomputed at each read.
struct Materialization {
  bool value = false;
  bool gradient = false;

  friend bool operator==(const Materialization&, const Materialization&) = default;
};
std::string_view to_string(const Materialization& stored);  // "value+gradient"

// A serial Sum is computed by the thread that needs it, a parallel one by a kernel over the points
// of the Sum, which stores its values.
struct PlannedSum {
  ExprId sum;  // in energy.graph()
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
  std::string name;                    // made from its members, see part_name()
  std::vector<ResidualRef> residuals;  // ascending
  std::vector<DomainId> order;         // iteration order, first = fastest across lanes
  Strategy strategy = Strategy::JtJp;
  StorageFormat j_format = StorageFormat::Structured;    // when stores_j(strategy)
  StorageFormat jtj_format = StorageFormat::Structured;  // when stores_jtj(strategy)
  // The types that stored products are kept in: Working, Float or Half; they are computed in the
  // working precision. Always Working where values are added up in memory (a JtJ that is not stored
  // as diagonals) and where a library multiplies them.
  ScalarType j_type = ScalarType::Working;
  ScalarType jtj_type = ScalarType::Working;
  ScalarType jp_type = ScalarType::Working;
  ComputeAt jtf = ComputeAt::Residual;   // b and d
  ComputeAt jtjp = ComputeAt::Residual;  // when nothing is stored
  ComputeAt jt = ComputeAt::Residual;    // the product of Jt with a stored Jp or with [J]p
};

// True if a library multiplies what the part stores: the JtJ with p, or a J and its transpose.
bool multiplies_by_library(const Part& part);

// A decision that has no field in Part or Plan: the construct's own lowering carries it out
// (core/kernel/construct_lowering.h).
struct PlannedExtension {
  const Construct* construct = nullptr;
  std::string part;
  Properties args;
  std::optional<Role> role = {};  // if absent, the decision is about the whole part

  // True if the decision is about this role of the part, or about the whole part.
  bool concerns(std::string_view part_name, Role its_role) const;
};

struct Plan {
  std::vector<Part> parts;                        // in the order of their first residuals
  std::vector<Materialization> intermediates;     // one per energy.intermediates()
  std::vector<PlannedSum> sums;                   // all Sums whose summand reads an unknown
  VectorOrder vector_order = VectorOrder::Plain;  // in the solver's own memory
  // The type of the vectors of PCG (p, r, z, Ap and the step x): Working or Float.
  ScalarType vector_type = ScalarType::Working;
  std::vector<PlannedExtension> extensions;
  // How far JtJp and p.JtJp may be off because values are stored in less than the working
  // precision, relative to the sums of the magnitudes of their terms: the largest tolerance that a
  // construct declares.
  double product_tolerance = 0;
  // The working precision of the programs that will be made. It may affect what constructs offer,
  // but not what is legal.
  Precision precision = Precision::Float;
  // The limit of the instance that is scheduled, if there is one (storage_limit.h); it must outlive
  // the plan.
  const StorageLimit* limit = nullptr;
};

// Returns the plan with one part per named group, JtJp at the residual, intermediates inlined, Sums
// serial, and domains in declaration order.
Plan default_plan(const Energy& energy);

// Null if there is none.
Part* find_part(Plan& plan, std::string_view name);
const Part* find_part(const Plan& plan, std::string_view name);
// Returns the part that a residual belongs to.
Part& part_of(Plan& plan, ResidualRef residual);
const Part& part_of(const Plan& plan, ResidualRef residual);

}  // namespace thallo
