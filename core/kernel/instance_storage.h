#pragma once

// Computes how many bytes schedules store for one instance, and whether that is within its memory
// limit, without making their programs. The stored products of a part depend only on the part and
// on the intermediates and Sums that its residuals read. So a program is lowered once for each such
// part, and the results are combined for plans.

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "core/energy/binding.h"
#include "core/kernel/bind/program_bytes.h"
#include "core/kernel/lower.h"
#include "core/schedule/storage_limit.h"

namespace thallo {

// May be used from any thread.
class InstanceStorage final : public StorageLimit {
 public:
  // The energy and the binding must outlive this object. `limit` is in bytes.
  InstanceStorage(const Energy& energy, const Binding& binding, const ProgramOptions& options,
                  Precision precision, std::int64_t limit);

  // Returns the stored products of the plan's program by name, as stored_products() lists them.
  // Fails if check_program() fails for one of the parts, or ProgramSizes::make() for its program
  // with this limit.
  Expected<std::vector<StoredBuffer>> stored(const Plan& plan) const;
  Expected<void> check(const Plan& plan, std::size_t num_decided) const override;

 private:
  struct Stored {
    std::map<std::string, double> bytes;  // by buffer
    bool has_matrix = false;              // true for the N x N JtJ, which parts share
    double own_bytes = 0;                 // without that matrix
    double table_bytes = 0;               // of tables of indices, to which the limit applies, too
  };
  // Everything that the products of a part depend on, as numbers.
  using Key = std::vector<std::size_t>;
  // The intermediates and Sums that the residuals of a group read, as positions in a plan.
  struct Reads {
    std::vector<std::size_t> intermediates;
    std::vector<std::size_t> sums;
  };

  // Returns a plan with this part alone, in which only what its residuals read is stored.
  Plan alone(const Plan& plan, const Part& part) const;
  static Key key_of(const Plan& alone);
  // With TableContents::Bounds, upper bounds that take no look at the maps; else the bytes.
  const Expected<Stored>& stored(const Plan& plan, const Part& part, TableContents contents) const;
  Expected<Stored> measure(const Plan& alone, TableContents contents) const;
  Expected<std::vector<StoredBuffer>> stored(const Plan& plan, TableContents contents) const;
  // Returns the variant of the part that takes the fewest bytes. Fails if all variants fail.
  Expected<const Stored*> least_of(const Plan& plan, const std::vector<Part>& variants,
                                   bool with_matrix) const;
  Expected<std::vector<StoredBuffer>> least(const Plan& plan, std::size_t num_decided) const;
  Expected<void> check_decided(const Plan& plan, TableContents contents) const;

  const Energy& energy_;
  const Binding& binding_;
  ProgramOptions options_;
  Precision precision_;
  std::int64_t limit_;
  std::vector<Reads> reads_;  // by group
  mutable std::mutex guard_;  // guards parts_
  mutable std::map<std::pair<TableContents, Key>, Expected<Stored>> parts_;
};

}  // namespace thallo
