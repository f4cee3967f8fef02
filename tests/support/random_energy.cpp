#include "tests/support/random_energy.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <random>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/energy/builder.h"
#include "core/energy/dependence.h"
#include "core/energy/print.h"

namespace thallo::test {
namespace {

// Data lie within Jitter of multiples of Grid, thresholds half way between, so that values and
// differences of two values stay clear of thresholds.
constexpr double Grid = 0.25;
constexpr double Jitter = 0.03;

class Generator {
 public:
  Generator(std::uint64_t seed, bool only_stencils)
      : random_(seed), only_stencils_(only_stencils), e_(fmt::format("random_{}", seed)) {}

  RandomEnergy make(std::uint64_t seed) {
    declare();
    declare_intermediates();
    const int num_groups = between(1, 4);
    for (int g = 0; g < num_groups; ++g) add_group(g);
    add_exclusions();
    const LogCapture no_warnings;  // of inputs that happen not to be used
    Expected<Energy> energy = std::move(e_).build();
    if (!energy)
      throw InternalError(fmt::format("random energy {}: {}", seed, energy.error().message()),
                          __FILE__, __LINE__);
    Binding binding = draw_data(*energy);
    std::set<std::string> features = features_of(*energy, binding);
    return {seed, *std::move(energy), std::move(binding), std::move(features)};
  }

 private:
  // A place where expressions are written: what can be read there.
  struct Scope {
    std::vector<DomainId> domains;
    std::vector<std::function<Expr()>> unknowns;  // and intermediates made of them
    std::vector<std::function<Expr()>> raw;       // stored values only: near multiples of Grid
    std::vector<std::function<Expr()>> constants;
    std::vector<std::function<Expr()>> conditions;
    std::function<Expr()> anchor;            // uses every domain of the scope
    std::function<Expr(IndexExpr)> shifted;  // an unknown at an offset, for Sums of stencils
  };

  int between(int low, int high) { return std::uniform_int_distribution(low, high)(random_); }
  bool chance(double p) { return std::uniform_real_distribution(0.0, 1.0)(random_) < p; }
  template <class T>
  const T& pick(const std::vector<T>& from) {
    return from[static_cast<std::size_t>(between(0, static_cast<int>(from.size()) - 1))];
  }
  double threshold() { return Grid * between(-4, 4) + Grid / 2; }
  Expr channel(const Vec& v) {
    return v[static_cast<std::size_t>(between(0, static_cast<int>(v.size()) - 1))];
  }

  void declare() {
    W_ = e_.dim("W"), H_ = e_.dim("H"), N_ = e_.dim("N"), E_ = e_.dim("E"), F_ = e_.dim("F");
    K_ = e_.dim("K");
    images_.push_back(e_.unknown("A", {W_, H_}, between(1, 3)));
    if (chance(0.5)) images_.push_back(e_.unknown("B", {W_, H_}, between(1, 2)));
    points_.push_back(e_.unknown("P", {N_}, between(1, 3)));
    if (chance(0.3)) points_.push_back(e_.unknown("Q", {N_}));
    weights_ = e_.unknown("Z", {K_}, between(1, 2));
    I_ = e_.array("I", {W_, H_}, between(1, 2));
    C_ = e_.array("C", {N_}, 2, -1, chance(0.5) ? ScalarType::Float : ScalarType::Working);
    D_ = e_.array("D", {E_});
    G_ = e_.array("G", {K_, N_});
    M_ = e_.array("M", {F_}, 1, -1, ScalarType::Int32);
    S_ = e_.array("S", {W_, H_, K_}, 2);
    Ix_ = e_.array("Ix", {W_, H_}, e_.data().fields[I_->id().index()].channels);
    Iy_ = e_.array("Iy", {W_, H_}, e_.data().fields[I_->id().index()].channels);
    params_ = {e_.param("a"), e_.param("b")};
    v0_ = e_.map("v0", {E_}, {N_});
    v1_ = e_.map("v1", {E_}, {N_});
    far_ = e_.map("far", {E_}, {N_}, -1, true);
    edge_ = e_.map("edge", {F_}, {E_});
    pixel_ = e_.map("pixel", {F_}, {W_, H_});
    k_ = e_.add_domain(K_, "k");
  }

  IndexExpr index(DomainId domain) { return {&e_, e_.graph().indices().component(domain)}; }

  // Reads of points of N at one of several indices.
  void add_point_reads(Scope& scope, const std::function<IndexExpr()>& at) {
    for (const FieldHandle& field : points_) {
      scope.unknowns.push_back([=, this] { return channel(field(at())); });
      scope.raw.push_back(scope.unknowns.back());
    }
    for (const FieldHandle& field : point_values_)
      scope.unknowns.push_back([=, this] { return channel(field(at())); });
    scope.constants.push_back([=, this] { return channel((*C_)(at())); });
    scope.conditions.push_back([=, this] { return channel((*C_)(at())) < threshold(); });
    scope.conditions.push_back([=, this] { return channel(points_[0](at())) < threshold(); });
    scope.conditions.push_back([=, this] { return e_.in_bounds(at(), N_); });
  }

  void add_image_reads(Scope& scope, const std::function<IndexExpr()>& at_x,
                       const std::function<IndexExpr()>& at_y) {
    for (const FieldHandle& field : images_) {
      scope.unknowns.push_back([=, this] { return channel(field(at_x(), at_y())); });
      scope.raw.push_back(scope.unknowns.back());
    }
    for (const FieldHandle& field : image_values_)
      scope.unknowns.push_back([=, this] { return channel(field(at_x(), at_y())); });
    scope.constants.push_back([=, this] { return channel((*I_)(at_x(), at_y())); });
    scope.conditions.push_back([=, this] { return channel((*I_)(at_x(), at_y())) < threshold(); });
    scope.conditions.push_back(
        [=, this] { return channel(images_[0](at_x(), at_y())) >= threshold(); });
    scope.conditions.push_back(
        [=, this] { return e_.in_bounds(at_x(), W_) && e_.in_bounds(at_y(), H_); });
  }

  // Reads that exist everywhere.
  void add_common(Scope& scope) {
    scope.constants.push_back([this] { return pick(params_); });
    scope.constants.push_back([this] { return Expr(Grid * between(1, 8)); });
    if (!only_stencils_)
      scope.unknowns.push_back([this] { return channel((*weights_)(between(0, 2))); });
    for (const FieldHandle& field : single_values_)
      scope.unknowns.push_back([=, this] { return channel(field()); });
    for (const DomainId domain : scope.domains) {
      const IndexExpr plain = index(domain);
      scope.constants.push_back([=, this] { return 0.25 * e_.value_of(plain + between(0, 1)); });
      scope.conditions.push_back([=, this] { return e_.value_of(plain) < between(0, 3) + 0.5; });
    }
  }

  Scope image_scope() {
    const DomainId x = e_.add_domain(W_), y = e_.add_domain(H_);
    Scope scope;
    scope.domains = {x, y};
    const auto near = [this](DomainId domain) {
      return [=, this] { return chance(0.5) ? index(domain) : index(domain) + between(-2, 2); };
    };
    add_image_reads(scope, near(x), near(y));
    add_common(scope);
    scope.shifted = [=, this](const IndexExpr& by) {
      return channel(images_[0](index(x) + by, index(y)));
    };
    scope.anchor = [=, this] { return channel((*I_)(index(x), index(y))); };
    return scope;
  }

  Scope point_scope() {
    const DomainId n = e_.add_domain(N_);
    Scope scope;
    scope.domains = {n};
    add_point_reads(scope, [=, this] {
      const int kind = between(0, 9);
      if (kind < 5) return index(n);
      if (kind < 8 || only_stencils_) return index(n) + between(-2, 2);
      return kind == 8 ? 2 * index(n) - 1 : IndexExpr(between(0, 3));
    });
    add_common(scope);
    scope.shifted = [=, this](const IndexExpr& by) { return channel(points_[0](index(n) - by)); };
    scope.anchor = [=, this] { return channel((*C_)(index(n))); };
    return scope;
  }

  Scope graph_scope() {
    const DomainId edge = e_.add_domain(E_);
    Scope scope;
    scope.domains = {edge};
    add_point_reads(scope, [=, this] {
      const IndexExpr at = chance(0.9) ? index(edge) : index(edge) + 1;
      const int kind = between(0, 9);
      if (kind < 4) return (*v0_)(at);
      if (kind < 7) return (*v1_)(at);
      return kind < 9 ? (*far_)(at) : (*v0_)(at) + between(-1, 1);
    });
    add_common(scope);
    scope.anchor = [=, this] { return Expr((*D_)(index(edge))); };
    return scope;
  }

  Scope nested_scope() {
    const DomainId f = e_.add_domain(F_);
    Scope scope;
    scope.domains = {f};
    add_point_reads(scope, [=, this] {
      const IndexExpr edge = (*edge_)(index(f));
      const int kind = between(0, 3);
      return kind < 2 ? (*v0_)(edge) : kind == 2 ? (*far_)(edge) : (*v1_)(edge) + 1;
    });
    const auto coordinate = [=, this](int output) {
      return [=, this] {
        const IndexExpr at = pixel_->at({index(f)}, output);
        return chance(0.7) ? at : at + between(-1, 1);
      };
    };
    add_image_reads(scope, coordinate(0), coordinate(1));
    add_common(scope);
    scope.anchor = [=, this] { return Expr((*M_)(index(f))); };
    return scope;
  }

  // Every point of the image with every point of N.
  Scope product_scope() {
    Scope scope = point_scope();
    const DomainId x = e_.add_domain(W_), y = e_.add_domain(H_);
    scope.domains.insert(scope.domains.end(), {x, y});
    add_image_reads(
        scope, [=, this] { return index(x); }, [=, this] { return index(y); });
    scope.anchor = [=, this, inner = scope.anchor] {
      return inner() + channel((*I_)(index(x), index(y)));
    };
    return scope;
  }

  // Over the domain that Sums run over, or over another one of its dim.
  Scope kernel_scope(DomainId t) {
    Scope scope;
    scope.domains = {t};
    scope.unknowns.push_back([=, this] { return channel((*weights_)(index(t))); });
    scope.raw.push_back(scope.unknowns.back());
    scope.unknowns.push_back([=, this] { return channel(points_[0](index(t) + 1)); });
    scope.constants.push_back([=, this] { return Expr((*G_)(index(t), 0)); });
    scope.conditions.push_back([=, this] { return (*G_)(index(t), 1) < threshold(); });
    scope.anchor = [=, this] { return Expr((*G_)(index(t), 0)); };
    return scope;
  }

  Expr leaf(const Scope& scope) {
    return chance(0.7) ? pick(scope.unknowns)() : pick(scope.constants)();
  }

  // A condition that stays clear of switching.
  Expr condition(const Scope& scope) {
    const Expr one = pick(scope.conditions)();
    switch (between(0, 4)) {
      case 0: return one && pick(scope.conditions)();
      case 1: return one || pick(scope.conditions)();
      case 2: return !one;
      default: return one;
    }
  }

  // Bounded functions of anything.
  Expr function(Expr a) {
    switch (between(0, 11)) {
      case 0: return sqrt(1 + a * a);
      case 1: return sin(a);
      case 2: return exp(0.5 * sin(a));
      case 3: return log(2 + a * a);
      case 4: return 1 / (2 + cos(a));
      case 5: return pow(1.5 + sin(a), 1.7);
      case 6: return atan2(a, 2 + cos(a));
      case 7: return tanh(a);
      case 8: return asin(0.5 * sin(a));
      case 9: return atan(a);
      case 10: return freeze(1 / (1 + a * a)) * a;
      default: return tan(0.5 * sin(a)) + acos(0.5 * cos(a)) * 0.25;
    }
  }

  // Nothing counts where the sample is -infinity.
  Expr sample_layer() {
    const Expr x = 0.5 * channel(images_[0](between(0, 1), 0)) + 0.6;
    const Expr y = channel(points_[0](0)) * 0.5 + 0.2;
    const Expr value = channel(e_.sample_layer(S_->id(), x, y, between(0, 1)));
    return select(value > -1e9, value, 0.5);
  }

  Expr sample() {
    if (only_stencils_) return channel((*I_)(0, 0));
    if (chance(0.3)) return sample_layer();
    const Expr x = 0.5 * channel(images_[0](between(0, 1), between(0, 1))) + 1.1;
    const Expr y = chance(0.5) ? Expr(0.3) : channel(points_[0](0)) * 0.5 + 0.6;
    return channel(e_.sample(I_->id(), Ix_->id(), Iy_->id(), x, y));
  }

  Expr sum(Scope scope, int depth) {
    const IndexExpr k = index(k_);
    if (only_stencils_) {
      if (!scope.shifted) return expression(scope, depth);
      const Expr inner = expression(scope, depth);
      return e_.sum(std::vector{k_}, channel((*G_)(k, 0)) * scope.shifted(k) * inner);
    }
    scope.unknowns.push_back([=, this] { return channel((*weights_)(k)); });
    scope.unknowns.push_back([=, this] { return channel((*weights_)(k + 1)); });
    scope.unknowns.push_back(
        [=, this] { return channel(points_[0](chance(0.5) ? k + 1 : k - 1)); });
    for (const FieldHandle& field : kernel_values_)
      scope.unknowns.push_back([=, this] { return channel(field(k)); });
    scope.constants.push_back([=, this] { return Expr((*G_)(k, between(0, 1))); });
    scope.conditions.push_back([=, this] { return (*G_)(k, 0) < threshold(); });
    const Expr summand = channel((*weights_)(k)) * expression(scope, depth);
    return e_.sum(std::vector{k_}, summand);
  }

  Expr expression(const Scope& scope, int depth) {
    if (depth <= 0) return leaf(scope);
    const auto inner = [&] { return expression(scope, depth - 1); };
    switch (between(0, 13)) {
      case 0:
      case 1:
      case 2: return inner() + inner();
      case 3:
      case 4: return inner() - inner();
      case 5:
      case 6: return 0.5 * inner() * leaf(scope);
      case 7: return select(condition(scope), inner(), inner());
      case 8: return condition(scope) * inner();
      case 9: return abs(pick(scope.raw)() - threshold());
      case 10: return chance(0.5) ? sum(scope, depth - 1) : inner();
      case 11: return chance(0.3) ? sample() : inner();
      default: return function(inner());
    }
  }

  void declare_intermediates() {
    const auto values = [this](const Scope& scope) {
      std::vector<Expr> channels;
      const int count = between(1, 2);
      for (int c = 0; c < count; ++c)
        channels.push_back(pick(scope.unknowns)() * leaf(scope) + expression(scope, 2));
      return Vec(channels);
    };
    const int count = between(0, 4);
    for (int i = 0; i < count; ++i) {
      const std::string name = fmt::format("T{}", i);
      switch (only_stencils_ ? between(0, 2) : between(0, 4)) {
        case 0:
        case 1: {
          const Scope scope = image_scope();
          image_values_.push_back(e_.intermediate(name, scope.domains, values(scope)));
          break;
        }
        case 2: {
          const Scope scope = point_scope();
          point_values_.push_back(e_.intermediate(name, scope.domains, values(scope)));
          break;
        }
        case 3: {
          Scope scope;  // one value for all
          scope.unknowns.push_back([this] { return channel((*weights_)(between(0, 1))); });
          scope.raw.push_back(scope.unknowns.back());
          scope.constants.push_back([this] { return pick(params_); });
          scope.conditions.push_back([this] { return channel((*weights_)(0)) < threshold(); });
          single_values_.push_back(e_.intermediate(name, scope.domains, values(scope)));
          break;
        }
        default: {
          const Scope scope = kernel_scope(e_.add_domain(K_, "t"));
          kernel_values_.push_back(e_.intermediate(name, scope.domains, values(scope)));
          break;
        }
      }
    }
  }

  bool has_derivative(const Expr& e) {
    return UnknownDependence(e_.data()).derivative(e_.id_of(e));
  }

  void add_group(int number) {
    Scope scope;
    switch (only_stencils_ ? pick(std::vector{0, 0, 3, 9}) : between(0, 10)) {
      case 0:
      case 1:
      case 2: scope = image_scope(); break;
      case 3: scope = point_scope(); break;
      case 4:
      case 5:
      case 6: scope = graph_scope(); break;
      case 7:
      case 8: scope = nested_scope(); break;
      case 9: scope = kernel_scope(chance(0.5) ? k_ : e_.add_domain(K_)); break;
      default: scope = product_scope(); break;
    }
    std::vector<Expr> residuals;
    const int count = between(1, 3);
    for (int i = 0; i < count; ++i) {
      if (i > 0 && chance(0.15))
        scope = only_stencils_ || chance(0.5) ? point_scope() : graph_scope();
      Expr residual = pick(scope.unknowns)() - 1.3 * scope.anchor() + expression(scope, 3);
      if (chance(0.3)) {
        // A mask that is never true would leave nothing.
        const Expr mask = condition(scope);
        if (!e_.graph().is_constant(e_.id_of(mask))) residual = mask * residual;
      }
      residuals.push_back(residual);
    }
    // Where everything cancelled; after the draws above, so that other seeds draw what they drew.
    if (std::ranges::none_of(residuals, [&](const Expr& r) { return has_derivative(r); }))
      residuals[0] = residuals[0] + pick(scope.unknowns)();
    const std::string name = fmt::format("r{}", number);
    e_.residual(name, residuals);
    if (!chance(0.4)) return;
    constexpr LossKind Kinds[] = {LossKind::Huber,  LossKind::SoftL1,       LossKind::Cauchy,
                                  LossKind::Arctan, LossKind::GemanMcClure, LossKind::Tukey};
    const Expr param = pick(params_);
    const Expr scale = chance(0.5) ? Expr(Grid * between(1, 8)) : 0.5 + param * param;
    e_.loss(name, Kinds[between(0, 5)], scale);
  }

  void add_exclusions() {
    for (const FieldHandle& field : {images_[0], points_[0]}) {
      if (!chance(0.3)) continue;
      const bool is_image = field.id() == images_[0].id();
      const Scope scope = is_image ? image_scope() : point_scope();
      std::vector<IndexExpr> at;
      for (const DomainId domain : scope.domains) at.push_back(index(domain));
      const Vec data = is_image ? I_->at(at) : C_->at(at);
      e_.exclude(field.id(), scope.domains, channel(data) < threshold());
    }
  }

  std::vector<double> draw_values(std::int64_t count) {
    std::vector<double> values(static_cast<std::size_t>(count));
    std::uniform_real_distribution jitter(-Jitter, Jitter);
    for (double& value : values) value = Grid * between(-5, 5) + jitter(random_);
    return values;
  }

  std::vector<std::int32_t> draw_map(std::int64_t count, std::int64_t extent) {
    std::vector<std::int32_t> values(static_cast<std::size_t>(count));
    for (std::int32_t& value : values) value = between(0, static_cast<int>(extent) - 1);
    return values;
  }

  static void expect(const Expected<void>& done) {
    if (!done) throw InternalError(done.error().message(), __FILE__, __LINE__);
  }

  Binding draw_data(const Energy& energy) {
    std::map<std::string, std::int64_t> extent = {{"W", between(1, 4)}, {"H", between(1, 3)},
                                                  {"N", between(1, 5)}, {"E", between(1, 6)},
                                                  {"F", between(1, 4)}, {"K", between(1, 3)}};
    if (chance(0.15)) {
      switch (between(0, 3)) {
        case 0: extent["K"] = 0; break;
        case 1: extent["F"] = 0; break;
        case 2: extent["E"] = extent["F"] = 0; break;
        default: extent["W"] = extent["F"] = 0; break;
      }
    }
    Binding binding(energy);
    for (const auto& [name, value] : extent) expect(binding.set_extent(name, value));
    for (std::size_t i = 0; i < energy.fields().size(); ++i) {
      const Field& field = energy.fields()[i];
      if (field.kind == FieldKind::Intermediate) continue;
      const std::int64_t size = binding.num_elements(energy, FieldId(i)) * field.channels;
      std::vector<double> values = draw_values(size);
      if (field.name == "S")  // missing texels
        for (std::size_t texel = 0; texel < values.size(); texel += 2)
          if (chance(0.2)) values[texel] = -std::numeric_limits<double>::infinity();
      switch (field.type) {
        case ScalarType::Float:
          expect(binding.set_field(field.name, std::vector<float>(values.begin(), values.end())));
          break;
        case ScalarType::Int32:
        case ScalarType::UInt8:
          expect(binding.set_field(field.name,
                                   std::vector<std::int32_t>(values.begin(), values.end())));
          break;
        case ScalarType::Half:  // of no field of an energy
        case ScalarType::Working:
        case ScalarType::Double: expect(binding.set_field(field.name, values)); break;
      }
    }
    const std::vector<std::int32_t> v0 = draw_map(extent["E"], extent["N"]);
    std::vector<std::int32_t> v1 = draw_map(extent["E"], extent["N"]);
    for (std::size_t i = 0; i < v1.size(); ++i)
      if (chance(0.3)) v1[i] = v0[i];
    std::vector<std::int32_t> far = draw_map(extent["E"], extent["N"]);
    for (std::int32_t& value : far)
      if (chance(0.3)) value = -1;
    std::vector<std::int32_t> pixel;
    for (std::int64_t i = 0; i < extent["F"]; ++i) {
      pixel.push_back(between(0, static_cast<int>(extent["W"]) - 1));
      pixel.push_back(between(0, static_cast<int>(extent["H"]) - 1));
    }
    expect(binding.set_map("v0", v0));
    expect(binding.set_map("v1", v1));
    expect(binding.set_map("far", far));
    expect(binding.set_map("edge", draw_map(extent["F"], extent["E"])));
    expect(binding.set_map("pixel", pixel));
    expect(binding.validate(energy));
    return binding;
  }

  std::mt19937_64 random_;
  bool only_stencils_;
  EnergyBuilder e_;
  DimId W_, H_, N_, E_, F_, K_;
  DomainId k_;
  std::vector<FieldHandle> images_, points_;
  std::vector<FieldHandle> image_values_, point_values_, kernel_values_, single_values_;
  std::optional<FieldHandle> weights_, I_, S_, Ix_, Iy_, C_, D_, G_, M_;
  std::vector<Expr> params_;
  std::optional<MapHandle> v0_, v1_, far_, edge_, pixel_;
};

}  // namespace

RandomEnergy make_random_energy(std::uint64_t seed) { return Generator(seed, false).make(seed); }

RandomEnergy make_random_stencil_energy(std::uint64_t seed) {
  return Generator(seed, true).make(seed);
}

std::string RandomEnergy::text() const {
  std::string extents;
  for (std::size_t i = 0; i < energy.dims().size(); ++i)
    extents += fmt::format(" {} = {}", energy.dims()[i].name, binding.extents()[i]);
  return fmt::format("random energy {},{}\n{}", seed, extents, to_string(energy));
}

void FeatureCoverage::add(const RandomEnergy& random) {
  ++num_energies_;
  for (const std::string& feature : random.features) ++counts_[feature];
}

std::vector<std::string> FeatureCoverage::missing() const {
  std::vector<std::string> result;
  for (const std::string& feature : all_features())
    if (!counts_.contains(feature)) result.push_back(feature);
  return result;
}

std::string FeatureCoverage::table() const {
  std::string text = fmt::format("{} random energies contain\n", num_energies_);
  for (const std::string& feature : all_features()) {
    const auto found = counts_.find(feature);
    text += fmt::format("  {:<40} {:>5}\n", feature, found == counts_.end() ? 0 : found->second);
  }
  return text;
}

}  // namespace thallo::test
