#include "core/kernel/instance_storage.h"

#include <algorithm>
#include <set>

#include "core/base/bytes_text.h"
#include "core/schedule/energy_facts.h"
#include "core/schedule/plan_names.h"
#include "core/schedule/storage_format.h"

namespace thallo {
namespace {

using BytesByName = std::map<std::string, double>;

std::vector<StoredBuffer> listed(const BytesByName& bytes) {
  std::vector<StoredBuffer> buffers;
  for (const auto& [name, of_buffer] : bytes) buffers.push_back({name, of_buffer});
  return buffers;
}

// The part in all formats that its products can have, those of the first num_decided products of
// the plan as they are.
std::vector<Part> variants_of(const Plan& plan, std::size_t part, std::size_t num_decided) {
  std::vector<Part> variants = {plan.parts[part]};
  const std::vector<StoredProductOf> products = stored_products_of(plan);
  for (std::size_t i = num_decided; i < products.size(); ++i) {
    if (products[i].part != part) continue;
    std::vector<Part> more;
    for (const Part& variant : variants) {
      for (const StorageFormat format : legal_formats(variant, products[i].product)) {
        more.push_back(variant);
        set_format(more.back(), products[i].product, format);
      }
    }
    variants = std::move(more);
  }
  return variants;
}

}  // namespace

InstanceStorage::InstanceStorage(const Energy& energy, const Binding& binding,
                                 const ProgramOptions& options, Precision precision,
                                 std::int64_t limit)
    : energy_(energy), binding_(binding), options_(options), precision_(precision), limit_(limit) {
  options_.is_deterministic = false;  // it changes no product
  const std::vector<PlannedSum>& sums = sums_of(energy);
  for (const ResidualGroup& group : energy.groups()) {
    const std::vector<ExprId> nodes = nodes_behind(energy.data(), group.residuals);
    std::set<FieldId> fields;
    for (const ExprId node : nodes)
      if (energy.graph()[node].op == Op::Access) fields.insert(energy.graph().field(node));
    Reads reads;
    for (std::size_t i = 0; i < energy.intermediates().size(); ++i)
      if (fields.contains(energy.intermediates()[i].field)) reads.intermediates.push_back(i);
    for (std::size_t s = 0; s < sums.size(); ++s) {
      if (std::ranges::binary_search(nodes, sums[s].sum)) reads.sums.push_back(s);
    }
    reads_.push_back(std::move(reads));
  }
}

Plan InstanceStorage::alone(const Plan& plan, const Part& part) const {
  Plan alone;
  alone.intermediates.resize(plan.intermediates.size());
  alone.sums = sums_of(energy_);
  for (const ResidualRef residual : part.residuals) {
    for (const std::size_t i : reads_[residual.group].intermediates)
      alone.intermediates[i] = plan.intermediates[i];
    for (const std::size_t s : reads_[residual.group].sums) alone.sums[s] = plan.sums[s];
  }
  // Where products are accumulated and in which order changes none of their sizes.
  alone.parts = {{.name = part.name,
                  .residuals = part.residuals,
                  .order = declared_domains(energy_, part),
                  .strategy = part.strategy,
                  .j_format = part.j_format,
                  .jtj_format = part.jtj_format,
                  .j_type = part.j_type,
                  .jtj_type = part.jtj_type,
                  .jp_type = part.jp_type}};
  return alone;
}

InstanceStorage::Key InstanceStorage::key_of(const Plan& alone) {
  const auto number = [](auto value) { return static_cast<std::size_t>(value); };
  const Part& part = alone.parts.front();
  Key key = {number(part.strategy), number(part.j_format), number(part.jtj_format),
             number(part.j_type),   number(part.jtj_type), number(part.jp_type)};
  for (const auto& [value, gradient] : alone.intermediates)
    key.push_back(number(value) + 2 * number(gradient));
  for (const PlannedSum& sum : alone.sums) key.push_back(number(sum.is_parallel));
  for (const auto& [group, residual] : part.residuals) {
    key.push_back(group);
    key.push_back(residual);
  }
  return key;
}

Expected<InstanceStorage::Stored> InstanceStorage::measure(const Plan& alone,
                                                           TableContents contents) const {
  THALLO_CHECK(check_program(energy_, alone, options_));
  const KernelProgram program = make_program(energy_, alone, options_);
  THALLO_TRY(const auto sizes, ProgramSizes::make(program, binding_, limit_, contents));
  Stored stored{.has_matrix = program.dense_jtj.has_value(), .table_bytes = sizes.tables().bytes};
  for (const auto& [name, bytes] : stored_products(program, sizes, precision_)) {
    stored.bytes.emplace(name, bytes);
    const bool is_matrix = stored.has_matrix && name == program.buffers[*program.dense_jtj].name;
    if (!is_matrix) stored.own_bytes += bytes;
  }
  return stored;
}

const Expected<InstanceStorage::Stored>& InstanceStorage::stored(const Plan& plan, const Part& part,
                                                                 TableContents contents) const {
  const Plan wanted = alone(plan, part);
  const std::pair key(contents, key_of(wanted));
  {
    const std::lock_guard lock(guard_);
    if (const auto known = parts_.find(key); known != parts_.end()) return known->second;
  }
  Expected<Stored> measured = measure(wanted, contents);
  const std::lock_guard lock(guard_);
  return parts_.emplace(key, std::move(measured)).first->second;
}

Expected<std::vector<StoredBuffer>> InstanceStorage::stored(const Plan& plan) const {
  return stored(plan, TableContents::ForExtents);
}

Expected<std::vector<StoredBuffer>> InstanceStorage::stored(const Plan& plan,
                                                            TableContents contents) const {
  BytesByName together;
  for (const Part& part : plan.parts) {
    const Expected<Stored>& own = stored(plan, part, contents);
    if (!own) return fail(own.error());
    together.insert(own->bytes.begin(), own->bytes.end());
  }
  return listed(together);
}

Expected<const InstanceStorage::Stored*> InstanceStorage::least_of(
    const Plan& plan, const std::vector<Part>& variants, bool with_matrix) const {
  const Stored* least = nullptr;
  Diagnostic why{"each of its formats has a full matrix", {}, {}};
  for (const Part& variant : variants) {
    const Expected<Stored>& own = stored(plan, variant, TableContents::ForExtents);
    if (!own) {
      why = own.error();
    } else if (with_matrix || !own->has_matrix) {
      if (least == nullptr || own->own_bytes < least->own_bytes) least = &*own;
    }
  }
  if (least == nullptr) return fail(why);
  return least;
}

// With the N x N JtJ, which is there once for all parts, and without it.
Expected<std::vector<StoredBuffer>> InstanceStorage::least(const Plan& plan,
                                                           std::size_t num_decided) const {
  Expected<std::vector<StoredBuffer>> least = fail("no format is possible");
  for (const bool with_matrix : {true, false}) {
    BytesByName together;
    Expected<void> possible;
    for (std::size_t p = 0; p < plan.parts.size() && possible; ++p) {
      const auto own = least_of(plan, variants_of(plan, p, num_decided), with_matrix);
      if (own) {
        together.insert((*own)->bytes.begin(), (*own)->bytes.end());
      } else {
        possible = fail(own.error());
      }
    }
    if (!possible) {
      if (with_matrix) return fail(possible.error());
      continue;
    }
    std::vector<StoredBuffer> buffers = listed(together);
    if (!least || total_bytes(buffers) < total_bytes(*least)) least = std::move(buffers);
  }
  return least;
}

// As a program is checked when it is bound.
Expected<void> InstanceStorage::check_decided(const Plan& plan, TableContents contents) const {
  const auto limit = static_cast<double>(limit_);
  double table_bytes = 0;
  for (const Part& part : plan.parts) {
    const Expected<Stored>& own = stored(plan, part, contents);
    if (!own) return fail(own.error());
    table_bytes += own->table_bytes;
  }
  if (table_bytes > limit) return refuse_tables(table_bytes, limit_);
  const std::vector<StoredBuffer> buffers = stored(plan, contents).value();
  if (total_bytes(buffers) <= limit) return {};
  return fail("{} would be stored ({}), the memory limit is {}", bytes_text(total_bytes(buffers)),
              largest_text(buffers), bytes_text(limit));
}

Expected<void> InstanceStorage::check(const Plan& plan, std::size_t num_decided) const {
  // Most schedules fit by far, which is seen without counting what meets in a JtJ.
  if (check_decided(plan, TableContents::Bounds)) return {};
  Expected<void> decided = check_decided(plan, TableContents::ForExtents);
  if (decided || num_decided >= stored_products_of(plan).size()) return decided;
  THALLO_TRY(const auto buffers, least(plan, num_decided));
  const auto limit = static_cast<double>(limit_);
  if (total_bytes(buffers) <= limit) return {};
  return fail("at least {} would be stored ({}), the memory limit is {}",
              bytes_text(total_bytes(buffers)), largest_text(buffers), bytes_text(limit));
}

}  // namespace thallo
