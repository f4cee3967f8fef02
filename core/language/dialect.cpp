#include "core/language/dialect.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include <fmt/format.h>

#include "core/language/call.h"

namespace thallo::language {
namespace {

// A name that one dialect alone has, and what the other one has for it.
struct OwnName {
  std::string_view name;
  std::string_view instead;
};

constexpr std::string_view ThalloTypes =
    "write float, float2, float3 ..., in one table of inputs, Inputs { X = Unknown(float2, {W, H}, "
    "0) }";
constexpr std::string_view ThalloArrays =
    "write all inputs in one table, Inputs { X = Unknown(float, {W, H}), A = Array(float, {W, H}) "
    "}";
constexpr OwnName OptNames[] = {
    {"Array1D", ThalloArrays},
    {"Array2D", ThalloArrays},
    {"Array3D", ThalloArrays},
    {"Energy",
     "write Residuals { fit = X(x, y) - A(x, y) }, with fields that are read at loop variables, "
     "local x, y = W(), H()"},
    {"Exclude", "write X:Exclude(condition), with the unknown X whose entries stay"},
    {"Graph",
     "write a sparse map for each vertex of an edge, Inputs { v0 = Sparse({E}, {N}, 2) }, and read "
     "X(v0(e)) with local e = E()"},
    {"Index", "write x:asvalue(), the number of a loop variable x = W()"},
    {"ProblemSpec", "a text is Inputs { ... } and Residuals { ... }, without a specification"},
    {"opt", "write the names without a prefix"},
    {"opt_float", ThalloTypes},
};
constexpr OwnName ThalloNames[] = {
    {"Dims", "write Dim(\"W\", 0) for each dim"},
    {"Inputs", "write each input where it is named, X = Unknown(\"X\", opt_float2, {W, H}, 0)"},
    {"L_1", "write L_p(v, v_before, 1, {W, H})"},
    {"Residuals", "write Energy(residual, ...)"},
    {"SampledImageArray", "it has no arrays of images"},
    {"Sparse", "write Graph(\"G\", 1, \"v0\", {N}, 2, \"v1\", {N}, 3), and read X(G.v0)"},
    {"Sum", "it has no sums over loop variables"},
    {"name", "it has no schedules, whose names these would be"},
};
constexpr std::string_view NoLosses = "it has no losses; L_p(v, v_before, p, {W, H}) is robust";
// These show the dialect of a text; the others are names that a text might give to its own things.
constexpr std::array OptSigns = {std::string_view("Array1D"), std::string_view("Array2D"),
                                 std::string_view("Array3D"), std::string_view("Energy"),
                                 std::string_view("Exclude"), std::string_view("Graph")};
constexpr std::array ThalloSigns = {std::string_view("Batch"), std::string_view("Dims"),
                                    std::string_view("Inputs"), std::string_view("Residuals")};
constexpr std::array DeclaringNames = {std::string_view("Array"), std::string_view("Image"),
                                       std::string_view("Param"), std::string_view("Unknown")};

bool contains(const auto& names, std::string_view name) {
  return std::ranges::find(names, name) != std::end(names);
}

// opt_float3 and opt_float are one type with channels.
std::string_view without_channels(std::string_view name) {
  return name.starts_with("opt_") ? name.substr(0, name.find_last_not_of("0123456789") + 1) : name;
}

bool is_quoted(std::string_view token) { return token.starts_with('"') || token.starts_with('\''); }

std::optional<DialectSign> sign_at(const TokenLines& text, std::size_t i) {
  const auto token = [&](std::size_t k) {
    return k < text.num_tokens() ? text.token(k) : std::string_view();
  };
  const std::string_view name = token(i), before = i > 0 ? token(i - 1) : std::string_view();
  // A member of opt or ad is the name itself.
  const bool is_own =
      before == ":" || before == "function" || before == "local" ||
      (before == "." &&
       (i < 2 || (token(i - 2) != "opt" && token(i - 2) != "ad" && token(i - 2) != "thallo")));
  if (is_own) return {};
  const int line = text.place_of_token(i).line;
  const std::string_view next = token(i + 1);
  const bool is_called = next == "(" || next == "{" || is_quoted(next);
  if (is_called && contains(ThalloSigns, name))
    return DialectSign{Dialect::Thallo, std::string(name), line};
  if ((is_called && contains(OptSigns, name)) || (name == "opt" && next == ".") ||
      without_channels(name) == "opt_float")
    return DialectSign{Dialect::Opt, std::string(name), line};
  if (contains(DeclaringNames, name) && next == "(" && is_quoted(token(i + 2)))
    return DialectSign{Dialect::Opt, fmt::format("{}({}, ...)", name, token(i + 2)), line};
  return {};
}

std::string_view name_of(Dialect dialect) {
  return dialect == Dialect::Opt ? "Opt's dialect" : "Thallo's own dialect";
}

[[noreturn]] void stop_at(Call& call, std::string_view found, Dialect other,
                          std::string_view instead) {
  const Dialect own = other == Dialect::Opt ? Dialect::Thallo : Dialect::Opt;
  const auto& sign = call.load().dialect_sign();
  const std::string shown =
      sign ? fmt::format(", as '{}' in line {} shows", sign->what, sign->line) : std::string();
  throw Stop{fmt::format(
      "{} is of {}, but the text is in {}{}: {} (docs/migrating.md compares the dialects)", found,
      name_of(other), name_of(own), shown, instead)};
}

}  // namespace

std::optional<DialectSign> find_dialect_sign(const TokenLines& text) {
  for (std::size_t i = 0; i < text.num_tokens(); ++i)
    if (auto sign = sign_at(text, i)) return sign;
  return {};
}

Dialect dialect_of(std::string_view text) {
  const auto sign =
      find_dialect_sign(TokenLines(std::string(text), TokenLines::Hashes::AreOperators));
  return sign ? sign->dialect : Dialect::Thallo;
}

void stop_at_other_dialect(Call& call, std::string_view name) {
  const bool is_opt = call.load().kind() == TextLoad::Kind::OptEnergy;
  const auto stop = [&](Dialect other, std::string_view instead) {
    stop_at(call, fmt::format("'{}'", name), other, instead);
  };
  const auto stop_if_in = [&](const auto& names, Dialect other) {
    const auto found = std::ranges::find(names, without_channels(name), &OwnName::name);
    if (found != std::end(names)) stop(other, found->instead);
  };
  if (is_opt) {
    stop_if_in(ThalloNames, Dialect::Thallo);
    if (find_known_loss(name) != nullptr) stop(Dialect::Thallo, NoLosses);
  } else {
    stop_if_in(OptNames, Dialect::Opt);
  }
}

std::vector<std::string_view> names_of_thallo_alone() {
  std::vector<std::string_view> names;
  for (const OwnName& own : ThalloNames) names.push_back(own.name);
  for (const KnownLoss& loss : known_losses()) names.push_back(loss.name);
  return names;
}

void refuse_opt_declaration(Call& call, std::string_view function) {
  if (!call.is_text(1) || !call.has(2) || call.is_table(2)) return;
  const std::string input = call.text(1, "a type");
  stop_at(call, fmt::format("{}(\"{}\", ...)", function, input), Dialect::Opt,
          fmt::format("write all inputs in one table, Inputs {{ {} = {}({}) }}, and read them at "
                      "loop variables, local x, y = W(), H()",
                      input, function, function == "Param" ? "float, 2" : "float2, {W, H}, 0"));
}

}  // namespace thallo::language
