// Provides a search, a cost model and a front end, as a plugin outside of the tree would.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "core/base/parse_number.h"
#include "core/cost/model/cost_model.h"
#include "core/energy/builder.h"
#include "core/frontend/front_end.h"
#include "core/plugin/abi.h"
#include "core/search/search.h"

namespace {

using namespace thallo;

// Proposes the schedules at both ends of a numbered space.
class EndsRun final : public SearchRun {
 public:
  explicit EndsRun(const SearchSpace& space) : space_(space) {}

  std::vector<Proposal> next() override {
    if (std::exchange(is_done_, true) || space_.first == space_.end) return {};
    std::vector<Proposal> ends = {at(space_.first)};
    if (const BigCount last = space_.end - 1; last != space_.first) ends.push_back(at(last));
    std::erase_if(ends, [this](const Proposal& proposal) { return !space_.fits(proposal); });
    return ends;
  }
  std::optional<std::int64_t> most() const override { return 2; }

 private:
  Proposal at(const BigCount& number) const {
    return Proposal::of(space_.indexed->schedule(number), space_.constructs,
                        index_text(space_.indexed->id(), number));
  }

  const SearchSpace& space_;
  bool is_done_ = false;
};

class Ends final : public Search {
 public:
  std::string_view name() const override { return "ends"; }
  std::string_view doc() const override { return "The first schedule of the space and the last."; }
  bool stays_in_space() const override { return true; }
  Expected<std::unique_ptr<SearchRun>> start(const SearchSpace& space) const override {
    if (space.indexed == nullptr) return fail("the search ends needs a space with numbers");
    return std::make_unique<EndsRun>(space);
  }
};

// A second a step, whatever it does: nothing else predicts such times.
class Counting final : public CostModel {
 public:
  std::string_view name() const override { return "counting"; }
  std::string_view doc() const override { return "Every step takes a second."; }
  double seconds(const StepWork&, const ProgramWork&, const DeviceSpec&) const override {
    return 1;
  }
};

// Lines NAME = NUMBER: an unknown over N that is near the number.
class Near final : public FrontEnd {
 public:
  std::string_view name() const override { return "near"; }
  std::string_view doc() const override { return "Unknowns and what they are near to."; }
  std::vector<std::string> suffixes() const override { return {".near"}; }

  Expected<EnergyFile> load(std::string_view text, const std::string& name) const override {
    EnergyBuilder builder(std::filesystem::path(name).stem().string());
    const DimId dim = builder.dim("N");
    const IndexExpr n = builder.domain(dim);
    for (int line = 1; !text.empty(); ++line) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const SourceLocation where{name, line, 1};
      if (const std::string_view of = text.substr(0, end); !of.empty() && of.front() != '#') {
        const std::size_t sign = of.find(" = ");
        const auto value = sign == std::string_view::npos
                               ? std::nullopt
                               : parse_number<double>(of.substr(sign + 3));
        if (!value) return fail_at(where, "'{}' is no line NAME = NUMBER", of);
        const std::string unknown(of.substr(0, sign));
        builder.residual("near_" + unknown, builder.unknown(unknown, {dim})(n) - *value, where);
      }
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    auto energy = std::move(builder).build();
    if (!energy) return fail(energy.error());
    return EnergyFile{*std::move(energy)};
  }
  LanguageWords words() const override {
    return {.keywords = {"near"}, .names = {"nearly"}, .comment = "#"};
  }
};

Expected<void> register_into(Registrar& registrar) {
  if (auto added = registrar.add<Search>("ends", std::make_unique<Ends>()); !added) return added;
  if (auto added = registrar.add<CostModel>("counting", std::make_unique<Counting>()); !added)
    return added;
  return registrar.add<FrontEnd>("near", std::make_unique<Near>());
}

}  // namespace

THALLO_PLUGIN("parts", "1.0.0", "", register_into);
