// The kernels of the linear operator that gather Ap. The first of them starts it, Ap = D p + sum,
// so that no other kernel need clear it; all later ones, and scatters, add. Private to lowering.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/kernel/lowering/accumulate.h"

namespace thallo {

// What a part's gather adds to p.Ap: its sum times p, or nothing, since an earlier kernel of the
// same product did.
enum class ProductShare { OfSum, Counted };

// Does the operator of a part gather Ap? Those that do come first.
bool gathers_product(const Energy& energy, const Part& part);

// The gathers of parts over different domains share a kernel: no schedule can merge such parts, and
// each kernel would read and write all of Ap. Parts over the same domains are merged, or not, by
// the schedule. A kernel waits for parts that join it until launch().
class ProductGathers {
 public:
  explicit ProductGathers(ProgramBuilder& builder) : b_(builder) {}

  void add(Kernel kernel, const Part& part, std::vector<Addend> addends, ProductShare share);
  // What waits; before anything else adds to Ap.
  void launch();

 private:
  struct Waiting {
    Kernel kernel;
    ProductShare share;
    std::vector<Addend> addends;
    std::vector<std::vector<DimId>> points;  // of its parts
    std::vector<std::string> names;
  };
  bool joins(const Kernel& kernel, const std::vector<DimId>& points, ProductShare share) const;

  ProgramBuilder& b_;
  std::optional<Waiting> waiting_;
};

}  // namespace thallo
