#include "plugins/split_merge/partition.h"

#include <algorithm>

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

Partition::Partition(const Energy& energy) : next_part_{energy.groups().size(), 0} {
  for (const ResidualRef residual : all_residuals(energy)) move(residual, {residual.group, 0});
}

std::vector<ResidualRef> Partition::members_with(ResidualRef residual) const {
  const std::set<ResidualRef>& members = members_.at(part_.at(residual));
  return {members.begin(), members.end()};
}

std::vector<ResidualRef> Partition::parts() const {
  std::vector<ResidualRef> firsts;
  for (const auto& [part, members] : members_) firsts.push_back(*members.begin());
  std::ranges::sort(firsts);
  return firsts;
}

std::vector<ResidualRef> Partition::followers(ResidualRef residual) const {
  std::vector<ResidualRef> result = members_with(residual);
  std::erase_if(result, [residual](ResidualRef other) {
    return other.group != residual.group || other < residual;
  });
  return result;
}

void Partition::join(std::span<const ResidualRef> movers, ResidualRef target) {
  const ResidualRef part = part_.at(target);
  for (const ResidualRef mover : movers) move(mover, part);
}

void Partition::separate(std::span<const ResidualRef> movers) {
  for (const ResidualRef mover : movers) move(mover, next_part_);
  ++next_part_.residual;
}

void Partition::move(ResidualRef residual, ResidualRef part) {
  if (const auto before = part_.find(residual); before != part_.end()) {
    const auto left = members_.find(before->second);
    left->second.erase(residual);
    if (left->second.empty()) members_.erase(left);
  }
  part_[residual] = part;
  members_[part].insert(residual);
}

}  // namespace thallo
