// The kernels of the linear operator that gather Ap. The first of them starts Ap, as D p + its sum,
// so that no other kernel need clear Ap. All kernels after it add to Ap, those that scatter
// included. Private to lowering.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/kernel/lowering/accumulate.h"

namespace thallo {

// What the gather of a part adds to p.Ap. OfSum: p times the gathered sum. Counted: nothing, since
// another kernel of the part adds its whole share, w (Jp)^2: the one that stores Jp, or the one
// that scatters where not all is gathered.
enum class ProductShare { OfSum, Counted };

// True if the operator of a part gathers Ap, if only at some unknowns. Such parts are lowered
// before those that scatter.
bool gathers_product(const Energy& energy, const Part& part);

// True if its share may be OfSum, of rows that the linear solver does not eliminate.
bool gathers_sum_of_product(const std::vector<UnknownSpace>& spaces, const Part& part);

// Collects gathers of Ap into shared kernels. Parts over different domains share one: no schedule
// can merge such parts, and a kernel for each would read and write all of Ap every time. Parts over
// the same domains do not, since whether they are merged is a choice of the schedule. A kernel
// waits for parts that join it, until one comes that cannot or until launch(). What scatters waits
// for all gathers, of which the first starts Ap.
class ProductGathers {
 public:
  explicit ProductGathers(ProgramBuilder& builder) : b_(builder) {}

  void add(Kernel kernel, const Part& part, std::vector<Addend> addends, ProductShare share);
  void add_scatter(Kernel kernel) { scatters_.push_back(std::move(kernel)); }
  // Launches the kernels that wait, if any. To be called before anything else adds to Ap.
  void launch();

 private:
  struct Waiting {
    Kernel kernel;
    ProductShare share;
    std::vector<Addend> addends;
    std::vector<std::vector<DimId>> points;  // of its parts
    std::vector<std::string> names;
  };
  void launch_gather();
  bool joins(const Kernel& kernel, const std::vector<DimId>& points, ProductShare share) const;

  ProgramBuilder& b_;
  std::optional<Waiting> waiting_;
  std::vector<Kernel> scatters_;
};

}  // namespace thallo
