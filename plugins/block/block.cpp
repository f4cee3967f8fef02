// block: decides the launch shape of a kernel.
//
// Site: each kernel of a part. Its name is its role: `"jtf"`, `"jtjp"`, `"jp"`, `"jt"`, `"fill_j"`,
// `"fill_jtj"` or `"cost"`. The strategy decides which roles a part has.
//
// Choices: the backend's shape (the default), or a number of threads per block, with or without
// `resident`, `rows` and `width`.
//
// - `part:block{role=name, threads=n, resident=n, rows=n, width=n}`: sets the numbers of the table.
//   `part:block{role=name}` leaves the shape to the backend.
//
// | number | values | meaning |
// |---|---|---|
// | `threads` | 64, 128, 256, 512, 1024 | threads per block |
// | `resident` | 1024, 1536, 2048 | threads for which a CUDA multiprocessor must have registers |
// | `rows` | 1, 2, 4, 8 | points of the part, or gathered elements, that a thread computes |
// | `width` | 16, 32 | width of a tile |
//
// Effect: more resident threads hide more latency. But each has fewer registers, and values may
// spill to memory. Without `resident` the compiler uses as many registers as it likes. With more
// rows, fewer blocks start and end. Without `rows` the backend chooses the number of blocks.
//
// With `width` a block computes a tile. Its points are `width` along the first loop variable and
// threads / width along the second. A thread computes `rows` neighbors along the second one side by
// side. It reads and computes what these have in common only once. On a GPU the block first loads
// the window that its points read, with a halo, into shared memory. Values outside of the field
// are 0 there. A window that does not fit is read from memory. A cpu has no tiles, but it computes
// rows side by side.
//
// The kernel of `"jtf"` also fills a dense JtJ, unless it gathers or `"fill_jtj"` is given another
// shape.
//
// Legality: the numbers are among those of the table, and the part has the role. `resident`, `rows`
// and `width` need `threads`. `width` needs a part over two or more loop variables. The part must
// read unknowns at constant offsets or in Sums, not through a sparse map, and not be of a batch.
//
// Example:
//
// ```lua
// local r = Residuals { fit = X(x, y) - A(x, y, 0) }
// r.fit:block{role="jtjp", threads=256, resident=1536, rows=4}
// r.fit:block{role="jtf", threads=256, width=32, rows=4}
// r.fit:block{role="cost"}                         -- the backend's shape
// ```

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/kernel/construct_lowering.h"
#include "core/kernel/tiles.h"
#include "core/plugin/abi.h"
#include "core/plugin/registrar.h"
#include "core/schedule/arguments.h"
#include "core/schedule/gather.h"
#include "core/schedule/roles.h"

namespace thallo {
namespace {

constexpr const char* Backend = "backend's";

// Returns the numbers, which are the same at every site. Without `resident`, the compiler chooses
// the registers; without `rows`, the backend chooses the number of blocks.
const Numbers& shape_numbers() {
  static const Numbers numbers = {
      .numbers = {{.name = "threads",
                   .meaning = "threads of a block",
                   .values = {64, 128, 256, 512, 1024},
                   .may_be_unset = true},
                  {.name = "resident",
                   .meaning = "threads for which a multiprocessor has registers",
                   .values = {1024, 1536, 2048},
                   .may_be_unset = true},
                  {.name = "rows",
                   .meaning = "points that a thread computes",
                   .values = {1, 2, 4, 8},
                   .may_be_unset = true},
                  {.name = "width",
                   .meaning = "points of a tile along the first loop variable",
                   .values = {16, 32},
                   .may_be_unset = true}},
      .unset = Backend};
  return numbers;
}
const std::vector<std::int64_t>& values_of(std::string_view name) {
  return shape_numbers().find(name)->values;
}

// The role, and each of the numbers.
std::vector<NamedArgument> known_arguments() {
  std::vector<NamedArgument> known = {{"role"}};
  for (const Numbers::Number& number : shape_numbers().numbers)
    known.push_back({number.name, {number.values.begin(), number.values.end()}});
  return known;
}

Site site_of(const Part& part, Role role) {
  return {SiteKind::Role, MemberName{part.name, std::string(to_string(role))}.text()};
}

// Returns `shape` alone, and with each combination of the other numbers.
std::vector<Properties> shapes_with(Properties shape) {
  std::vector<Properties> shapes = {std::move(shape)};
  for (const char* name : {"resident", "rows", "width"}) {
    for (std::size_t i = 0, without = shapes.size(); i < without; ++i) {
      for (const std::int64_t value : values_of(name)) {
        Properties with = shapes[i];
        with.set(name, value);
        shapes.push_back(std::move(with));
      }
    }
  }
  return shapes;
}

// Why a part has no tiles.
enum class Refusal { None, Batch, OneVariable, SparseMap };
constexpr std::array<const char*, 4> Reasons = {"", "one thread computes a member of a batch",
                                                "the part runs over one loop variable",
                                                "the part reads unknowns through a sparse map"};

Refusal refusal_of(const Energy& energy, const Part& part) {
  if (energy.members().valid()) return Refusal::Batch;
  if (part.order.size() < 2) return Refusal::OneVariable;
  return reads_through_map(energy, part.residuals) ? Refusal::SparseMap : Refusal::None;
}

std::vector<Alternative> make_shapes(Refusal refusal) {
  const Numbers& numbers = shape_numbers();
  std::vector<Alternative> result = {{numbers.choice({})}};
  for (const std::int64_t threads : values_of("threads")) {
    for (const Properties& shape : shapes_with({{"threads", threads}})) {
      result.push_back({numbers.choice(shape)});
      if (shape.has("width") && refusal != Refusal::None)
        result.back().legal = fail("{}", Reasons[static_cast<std::size_t>(refusal)]);
    }
  }
  for (const Properties& shape : shapes_with({})) {
    if (!shape.empty()) result.push_back({numbers.choice(shape), fail("it needs threads")});
  }
  return result;
}

// Returns the alternatives of the sites with this refusal.
const std::vector<Alternative>& shapes(Refusal refusal) {
  static const std::array<std::vector<Alternative>, Reasons.size()> all = {
      make_shapes(Refusal::None), make_shapes(Refusal::Batch), make_shapes(Refusal::OneVariable),
      make_shapes(Refusal::SparseMap)};
  return all[static_cast<std::size_t>(refusal)];
}
const std::vector<Alternative>& shapes(const Energy& energy, const Plan& plan, const Site& site) {
  return shapes(refusal_of(energy, *find_part(plan, parse_member_name(site.name).part)));
}

// Returns the alternatives that are offered. Shapes with tiles are hundreds, which would keep other
// choices from being priced: they are written, or chosen by auto.
const std::vector<Alternative>& shapes_without_tiles() {
  static const std::vector<Alternative> offered = [] {
    std::vector<Alternative> all = make_shapes(Refusal::None);
    std::erase_if(all, [](const Alternative& shape) { return shape.choice.args.has("width"); });
    return all;
  }();
  return offered;
}

class BlockConstruct final : public Construct, public ConstructLowering {
 public:
  std::string_view name() const override { return "block"; }
  std::string_view doc() const override {
    return "How many threads a block of a kernel has, a multiprocessor registers for, and rows a "
           "thread.";
  }
  Stage stage() const override { return Stage::LowLevel; }

  std::vector<Site> sites(const Energy& energy, const Plan& plan) const override {
    std::vector<Site> sites;
    for (const Part& part : plan.parts) {
      for (const Role role : roles_of(energy, part)) sites.push_back(site_of(part, role));
    }
    return sites;
  }

  std::vector<Alternative> alternatives(const Energy& energy, const Plan& plan,
                                        const Site& site) const override {
    std::vector<Alternative> offered = shapes_without_tiles();
    if (const Choice current = choice_at(plan, site); current.args.has("width"))
      offered.push_back(*find(energy, plan, site, current));
    return offered;
  }
  // Copies no alternatives, which are many.
  Choice default_choice(const Energy& /*energy*/, const Plan& /*plan*/,
                        const Site& /*site*/) const override {
    return shape_numbers().choice({});
  }
  // Does not copy the others, which are hundreds, and knows the tiles that are not offered.
  std::optional<Alternative> find(const Energy& energy, const Plan& plan, const Site& site,
                                  const Choice& choice) const override {
    const std::vector<Alternative>& all = shapes(energy, plan, site);
    const auto found = find_alternative(all, choice.label);
    return found == all.end() ? std::nullopt : std::optional(*found);
  }
  // With the width of a tile where the site has one.
  Editor editor(const Energy& /*energy*/, const Plan& plan, const Site& site) const override {
    Numbers numbers = shape_numbers();
    if (!choice_at(plan, site).args.has("width"))
      std::erase_if(numbers.numbers, [](const auto& number) { return number.name == "width"; });
    return numbers;
  }
  std::string refusal(const Site& site, const Choice& choice) const override {
    return fmt::format("block: the shape of r.{} cannot be '{}'", site.name, choice.label);
  }

  void apply(const Energy& /*energy*/, Plan& plan, const Site& site,
             const Choice& choice) const override {
    if (choice.label == Backend) return;
    const auto [part, role] = parse_member_name(site.name);
    plan.extensions.push_back({this, part, choice.args, parse_role(role).value()});
  }

  void lower(const PlannedExtension& extension, KernelProgram& program,
             Kernel& kernel) const override {
    const auto number = [&](const char* name) {
      return static_cast<int>(extension.args.value_or(name, std::int64_t{0}));
    };
    kernel.shape = {.threads_per_block = number("threads"),
                    .resident_threads = number("resident"),
                    .tile_width = number("width")};
    if (kernel.shape.tile_width == 0) {
      kernel.shape.rows_per_thread = number("rows");
    } else {
      group_rows(program, kernel, std::max(1, number("rows")));
    }
  }

  std::vector<Spelling> spellings() const override { return {{ScheduleName::Kind::Part, "block"}}; }

  Expected<Directive> read(const Energy& energy, const Plan& plan, const PartNames& names,
                           const ScheduleStatement& statement) const override {
    THALLO_TRY(const auto part, part_in(statement, plan, names));
    THALLO_TRY(const auto arguments,
               named_arguments(statement, known_arguments(), "{role=\"jtjp\", threads=128}"));
    THALLO_TRY(const auto role,
               role_argument(statement, arguments, roles_of(energy, *part),
                             fmt::format("is no kernel of r.{} with the strategy {}", part->name,
                                         to_string(part->strategy))));
    Properties shape;
    for (const Numbers::Number& number : shape_numbers().numbers) {
      if (const auto value = arguments.find<std::int64_t>(number.name))
        shape.set(number.name, *value);
    }
    if (!shape.empty() && !shape.has("threads")) {
      std::vector<std::string> legal;
      for (const std::int64_t threads : values_of("threads"))
        legal.push_back(std::to_string(threads));
      return fault_in(statement, "needs threads", std::move(legal));
    }
    const Site site = site_of(*part, role);
    const Refusal refusal = refusal_of(energy, *part);
    if (shape.has("width") && refusal != Refusal::None) {
      Properties without;
      for (const Numbers::Number& number : shape_numbers().numbers) {
        const auto value = shape.find<std::int64_t>(number.name);
        if (value && number.name != "width") without.set(number.name, *value);
      }
      return fault_in(
          statement,
          fmt::format("has no tiles, since {}", Reasons[static_cast<std::size_t>(refusal)]),
          {print({"block", site, shape_numbers().choice(std::move(without))})});
    }
    return Directive{"block", site, shape_numbers().choice(std::move(shape))};
  }

  std::string print(const Directive& directive) const override {
    const auto [part, role] = parse_member_name(directive.site.name);
    std::string text = fmt::format("r.{}:block{{role=\"{}\"", part, role);
    for (const Numbers::Number& number : shape_numbers().numbers) {
      if (const auto value = directive.choice.args.find<std::int64_t>(number.name))
        text += fmt::format(", {}={}", number.name, *value);
    }
    return text + "}";
  }

 private:
  // The shape that the plan has at a site.
  Choice choice_at(const Plan& plan, const Site& site) const {
    const auto [part, role] = parse_member_name(site.name);
    for (const PlannedExtension& extension : plan.extensions) {
      if (extension.construct == this && extension.part == part &&
          extension.role == parse_role(role).value())
        return shape_numbers().choice(extension.args);
    }
    return shape_numbers().choice({});
  }
};

}  // namespace
}  // namespace thallo

THALLO_PLUGIN("block", "1.0.0", "",
              thallo::register_item<thallo::Construct, thallo::BlockConstruct>);
