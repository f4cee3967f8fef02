#include "plugins/split_merge/partition.h"

namespace thallo {

std::vector<ResidualRef> all_residuals(const Energy& energy) {
  std::vector<ResidualRef> residuals;
  for (std::size_t g = 0; g < energy.groups().size(); ++g) {
    for (std::size_t r = 0; r < energy.groups()[g].residuals.size(); ++r) {
      residuals.push_back({g, r});
    }
  }
  return residuals;
}

Partition::Partition(const Energy& energy)
    : residuals_(all_residuals(energy)), next_part_{energy.groups().size(), 0} {
  for (const ResidualRef residual : residuals_) part_[residual] = {residual.group, 0};
}

std::vector<ResidualRef> Partition::members_with(ResidualRef residual) const {
  std::vector<ResidualRef> members;
  for (const ResidualRef other : residuals_) {
    if (are_together(other, residual)) members.push_back(other);
  }
  return members;
}

std::vector<ResidualRef> Partition::parts() const {
  std::vector<ResidualRef> firsts;
  for (const ResidualRef residual : residuals_) {
    if (members_with(residual).front() == residual) firsts.push_back(residual);
  }
  return firsts;
}

std::vector<ResidualRef> Partition::followers(ResidualRef residual) const {
  std::vector<ResidualRef> result;
  for (const ResidualRef other : residuals_) {
    if (other.group == residual.group && other >= residual && are_together(other, residual))
      result.push_back(other);
  }
  return result;
}

void Partition::join(std::span<const ResidualRef> movers, ResidualRef target) {
  const ResidualRef part = part_.at(target);
  for (const ResidualRef mover : movers) part_[mover] = part;
}

void Partition::separate(std::span<const ResidualRef> movers) {
  for (const ResidualRef mover : movers) part_[mover] = next_part_;
  ++next_part_.residual;
}

}  // namespace thallo
