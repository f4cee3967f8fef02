#include "core/search/priced/structural_hash.h"

#include <algorithm>

namespace thallo {

int depth_of(Stage stage, SiteKind kind) {
  switch (stage) {
    case Stage::Partition:
    case Stage::Strategy: return 0;
    case Stage::Intermediates: return 1;
    case Stage::Format: return kind == SiteKind::Sum ? 3 : 2;
    case Stage::Order: return 3;
    case Stage::LowLevel: return 4;
  }
  return NumDepths - 1;
}

void StructuralHash::add(int depth, const Site& site, const Choice& choice, bool is_default) {
  ++num_decisions_;
  if (is_default) return;
  for (int d = depth; d < NumDepths; ++d) {
    Hash128& hash = by_depth_[static_cast<std::size_t>(d)];
    hash = Hasher()
               .update(hash)
               .update(static_cast<int>(site.kind))
               .update(site.name)
               .update(choice.label)
               .finish();
  }
}

Hash128 StructuralHash::at(int depth) const {
  Hasher hasher;
  hasher.update(num_decisions_);
  if (depth >= 0)
    hasher.update(by_depth_[static_cast<std::size_t>(std::min(depth, NumDepths - 1))]);
  return hasher.finish();
}

}  // namespace thallo
