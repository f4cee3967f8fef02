#pragma once

// How many bytes schedules store for one instance, and whether that is within its memory limit,
// without making their programs. The stored products of a part depend on the part alone and on the
// intermediates and Sums that its residuals read, so a program of each such part is lowered once,
// and plans are put together from these.

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/energy/binding.h"
#include "core/kernel/bind/program_bytes.h"
#include "core/kernel/lower.h"
#include "core/schedule/storage_limit.h"

namespace thallo {

// May be asked from any thread.
class InstanceStorage final : public StorageLimit {
 public:
  // Energy and binding must outlive it. `limit` is in bytes.
  InstanceStorage(const Energy& energy, const Binding& binding, const ProgramOptions& options,
                  Precision precision, std::int64_t limit);

  // The stored products of the plan's program, as stored_products() lists them, by name. Fails
  // where ProgramSizes::make() does for a program of a part alone, with this limit.
  Expected<std::vector<StoredBuffer>> stored(const Plan& plan) const;
  Expected<void> check(const Plan& plan, std::size_t num_decided) const override;

 private:
  struct Stored {
    std::map<std::string, double> bytes;  // by buffer
    bool has_matrix = false;              // the N x N JtJ, which parts share
    double own_bytes = 0;                 // without it
    double table_bytes = 0;               // of tables of indices, to which the limit applies, too
  };
  // What the products of a part depend on, as numbers.
  using Key = std::vector<std::size_t>;
  // The intermediates and Sums, as positions in a plan, that the residuals of a group read.
  struct Reads {
    std::vector<std::size_t> intermediates;
    std::vector<std::size_t> sums;
  };

  // A plan of the part alone, in which only what its residuals read is stored.
  Plan alone(const Plan& plan, const Part& part) const;
  static Key key_of(const Plan& alone);
  const Expected<Stored>& stored(const Plan& plan, const Part& part) const;
  Expected<Stored> measure(const Plan& alone) const;
  // What takes least of the part in these formats, or fails where all of them do.
  Expected<const Stored*> least_of(const Plan& plan, const std::vector<Part>& variants,
                                   bool with_matrix) const;
  Expected<std::vector<StoredBuffer>> least(const Plan& plan, std::size_t num_decided) const;
  Expected<void> check_decided(const Plan& plan) const;

  const Energy& energy_;
  const Binding& binding_;
  ProgramOptions options_;
  Precision precision_;
  std::int64_t limit_;
  std::vector<Reads> reads_;  // by group
  mutable std::mutex guard_;  // of parts_
  mutable std::map<Key, Expected<Stored>> parts_;
};

}  // namespace thallo
