#include "core/cost/pricing/time_change.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/base/quantity_text.h"
#include "core/kernel/frequency.h"

namespace thallo {
namespace {

// Amounts that differ by less than this share are called equal.
constexpr double SameAmount = 5e-3;
// A wait explains why another one changed if it changed the other way by this share of it.
constexpr double HidingShare = 0.2;
// Less of a time than this is rounding.
constexpr double Rounding = 1e-12;

constexpr std::array AllCauses = {Cause::Recomputation, Cause::StoredBytes, Cause::Atomics,
                                  Cause::Cache,         Cause::Latency,     Cause::Launches,
                                  Cause::Host,          Cause::Unknown};

Cause cause_of(Wait wait) {
  switch (wait) {
    case Wait::Launch: return Cause::Launches;
    case Wait::Memory: return Cause::StoredBytes;
    case Wait::Cache: return Cause::Cache;
    case Wait::Atomics: return Cause::Atomics;
    case Wait::Arithmetic: return Cause::Recomputation;
    case Wait::Latency: return Cause::Latency;
    case Wait::Unknown: return Cause::Unknown;
  }
  return Cause::Unknown;
}

// What steps of one phase and label do in a run of them, by what it makes them wait for.
struct Amounts {
  double flops = 0, functions = 0, moved = 0, asked = 0, atomics = 0, loads = 0, sums = 0,
         starts = 0;

  void add(const StepWork& step) {
    const KernelFeatures& f = step.features;
    flops += f.flops.total();
    functions += f.flops.transcendentals;
    moved += f.must_move();
    asked += f.reads.total() + f.writes.total() + 2 * f.scatters.total() + f.index_bytes;
    atomics += f.atomics;
    loads += f.loads;
    sums += step.reduces ? 1 : 0;
    starts += 1;
  }
  void add(const Amounts& other) {
    for (double Amounts::*amount :
         {&Amounts::flops, &Amounts::functions, &Amounts::moved, &Amounts::asked, &Amounts::atomics,
          &Amounts::loads, &Amounts::sums, &Amounts::starts})
      this->*amount += other.*amount;
  }
};

struct Words {
  double Amounts::*amount;
  const char *now, *once;  // the verb
  const char* unit;
  const char* what;                 // after the number
  double Amounts::*more = nullptr;  // another one, that is said where it is there or changes
  const char* what_more = nullptr;
};
Words words_of(Wait wait) {
  switch (wait) {
    case Wait::Launch: return {&Amounts::starts, "starts", "started", "", "times"};
    case Wait::Memory: return {&Amounts::moved, "moves", "moved", "B", ""};
    case Wait::Cache: return {&Amounts::asked, "asks the cache for", "asked it for", "B", ""};
    case Wait::Atomics: return {&Amounts::atomics, "makes", "made", "", "atomic additions"};
    case Wait::Latency:
      return {&Amounts::loads,        "loads", "loaded", "", "scalars", &Amounts::sums,
              "sums over all threads"};
    case Wait::Arithmetic:
    case Wait::Unknown: break;
  }
  return {&Amounts::flops, "computes", "computed", "flop", "", &Amounts::functions, "functions"};
}

std::string plain_number(double amount) {
  return amount < 1000 ? fmt::format("{:.4g}", amount) : quantity_text(amount, "");
}
std::string number_text(double amount, const char* unit) {
  if (amount == 0) return unit[0] == '\0' ? "no" : fmt::format("no {}", unit);
  if (unit[0] != '\0') return quantity_text(amount, unit);
  return plain_number(amount);
}
std::string amount_text(double amount, const Words& words) {
  const std::string number = number_text(amount, words.unit);
  return words.what[0] == '\0' ? number : fmt::format("{} {}", number, words.what);
}

std::string signed_time(double seconds) {
  return fmt::format("{}{}", seconds < 0 ? "-" : "+", quantity_text(std::abs(seconds), "s"));
}

class ChangeExplainer {
 public:
  ChangeExplainer(const ProgramWork& from, const ProgramWork& to, const PriceScope& scope)
      : from_(from), to_(to), scope_(scope) {}

  TimeChangeCauses explain() {
    TimeChangeCauses result;
    const Prediction before = predict(scope_.model, from_, scope_.device, scope_.counts);
    const Prediction after = predict(scope_.model, to_, scope_.device, scope_.counts);
    result.from = before.nonlinear_iteration;
    result.to = after.nonlinear_iteration;
    StepsByKey befores = steps_of(from_, to_.loop_bytes);
    StepsByKey afters = steps_of(to_, from_.loop_bytes);
    pair_by_phase(befores, afters);
    for (const auto& [key, step] : befores) {
      const auto other = afters.find(key);
      if (other == afters.end())
        add_single(key, step, -1);
      else
        add_pair(key, step, other->second);
    }
    for (const auto& [key, step] : afters)
      if (!befores.contains(key)) add_single(key, step, 1);
    add_host(after.beside.host - before.beside.host + after.beside.loop_turns -
             before.beside.loop_turns);
    const double least = Rounding * std::max(result.from, result.to);
    for (const Cause cause : AllCauses) {
      CauseOfChange found = summed_up(cause, least);
      if (std::abs(found.seconds) > least) result.causes.push_back(std::move(found));
    }
    std::ranges::stable_sort(result.causes, std::ranges::greater(),
                             [](const CauseOfChange& its) { return std::abs(its.seconds); });
    return result;
  }

 private:
  using Key = std::pair<Phase, std::string>;
  struct Steps {
    double runs = 0;
    Amounts amounts;
    // Seconds of a nonlinear iteration; the second where the loop touches as much memory as that of
    // the other program.
    TimeParts time, elsewhere;

    void add(const Steps& other) {
      runs = other.runs;
      amounts.add(other.amounts);
      time.add(other.time);
      elsewhere.add(other.elsewhere);
    }
  };
  using StepsByKey = std::map<Key, Steps>;

  // Where both programs have steps of a phase that the other one lacks, as where parts were merged
  // or have another strategy, these do the same work, and are compared together.
  static void pair_by_phase(StepsByKey& befores, StepsByKey& afters) {
    const auto only_in = [](const StepsByKey& these, const StepsByKey& those) {
      std::map<Phase, std::vector<Key>> keys;
      for (const auto& [key, steps] : these)
        if (!those.contains(key)) keys[key.first].push_back(key);
      return keys;
    };
    const auto gone = only_in(befores, afters);
    const auto added = only_in(afters, befores);
    const auto take_together = [](StepsByKey& all, const std::vector<Key>& keys, const Key& as) {
      Steps together;
      for (const Key& key : keys) {
        together.add(all.at(key));
        all.erase(key);
      }
      all[as] = together;
    };
    for (const auto& [phase, keys] : gone) {
      const auto others = added.find(phase);
      if (others == added.end()) continue;
      const Key together = {phase, fmt::format("phase {}", to_string(phase))};
      take_together(befores, keys, together);
      take_together(afters, others->second, together);
    }
  }

  StepsByKey steps_of(const ProgramWork& work, double other_loop_bytes) const {
    const ProgramWork elsewhere{
        .maps = work.maps, .bytes = work.bytes, .loop_bytes = other_loop_bytes};
    StepsByKey all;
    for (const StepWork& step : work.steps) {
      const double runs = scope_.counts.runs_of(step.phase);
      if (!(runs > 0)) continue;
      Steps& steps = all[{step.phase, step.label}];
      steps.runs = runs;
      steps.amounts.add(step);
      steps.time.add(parts(step, work), runs);
      steps.elsewhere.add(parts(step, elsewhere), runs);
    }
    return all;
  }
  // With what the host takes longer to enqueue a step than the step takes.
  TimeParts parts(const StepWork& step, const ProgramWork& work) const {
    TimeParts parts = scope_.model.parts(step, work, scope_.device);
    if (frequency_of(step.phase) == Frequency::NonlinearIteration)
      parts[Wait::Launch] += std::max(0.0, scope_.device.launch - parts.total());
    return parts;
  }

  void add(Cause cause, StepChange change) {
    if (change.seconds != 0) changes_[cause].push_back(std::move(change));
  }

  // For steps that only one program has.
  void add_single(const Key& key, const Steps& steps, double sign) {
    launches_ += sign * steps.runs * steps.amounts.starts;
    if (sign < 0) launches_before_ += steps.runs * steps.amounts.starts;
    for (const Wait wait : AllWaits) {
      const Words words = words_of(wait);
      const std::string does =
          fmt::format("{} {}", sign < 0 ? words.once : words.now, text_of(steps, wait, words));
      add(cause_of(wait),
          {.step = key.second,
           .seconds = sign * steps.time[wait],
           .sentence = fmt::format("{} {}", sign < 0 ? "is gone; it" : "is new and", does)});
    }
  }

  void add_pair(const Key& key, const Steps& before, const Steps& after) {
    launches_ += after.runs * after.amounts.starts - before.runs * before.amounts.starts;
    launches_before_ += before.runs * before.amounts.starts;
    // Either the first step moves to the cache of the second program, and then becomes the second
    // step, or the other way round.
    const double first = before.elsewhere.total() - before.time.total();
    const double second = after.time.total() - after.elsewhere.total();
    const bool moves_first = std::abs(first) <= std::abs(second);
    add(Cause::Cache,
        {.step = key.second, .seconds = moves_first ? first : second, .sentence = fit_sentence()});
    TimeParts change = moves_first ? after.time : after.elsewhere;
    change.add(moves_first ? before.elsewhere : before.time, -1);
    for (const Wait wait : AllWaits) {
      add(cause_of(wait), {.step = key.second,
                           .seconds = change[wait],
                           .sentence = difference_text(before, after, wait, change)});
    }
  }

  void add_host(double seconds) {
    add(Cause::Host, {.step = "",
                      .seconds = seconds,
                      .sentence = fmt::format("the loop of linear iterations is {}",
                                              seconds > 0 ? "new" : "gone")});
  }

  std::string fit_sentence() const {
    const double before = from_.loop_bytes;
    const double after = to_.loop_bytes;
    const std::string cache = quantity_text(scope_.device.cache, "B");
    const bool grows = after > before;
    if (evicted_share(grows ? before : after, scope_.device) > 0) {
      return fmt::format(
          "{} of the data of a linear iteration fits the {} cache: they are {} "
          "instead of {}",
          grows ? "less" : "more", cache, quantity_text(after, "B"), quantity_text(before, "B"));
    }
    return fmt::format("{} of a linear iteration {} fit the {} cache", quantity_text(after, "B"),
                       grows ? "no longer" : "now", cache);
  }

  // "2.1 Mflop, 30 k functions"
  static std::string text_of(const Steps& steps, Wait wait, const Words& words) {
    std::string text = amount_text(of_run(steps, wait, words), words);
    if (words.more != nullptr && steps.amounts.*words.more > 0)
      text += fmt::format(", {} {}", number_text(steps.amounts.*words.more, ""), words.what_more);
    return text;
  }
  // Starts are those of a nonlinear iteration, everything else is that of a run.
  static double of_run(const Steps& steps, Wait wait, const Words& words) {
    return steps.amounts.*words.amount * (wait == Wait::Launch ? steps.runs : 1);
  }

  static std::string difference_text(const Steps& before, const Steps& after, Wait wait,
                                     const TimeParts& change) {
    const Words words = words_of(wait);
    const double was = of_run(before, wait, words);
    const double is = of_run(after, wait, words);
    bool is_same = std::abs(is - was) <= SameAmount * std::max(is, was);
    std::string text = is_same ? fmt::format("{} {} as before", words.now, amount_text(is, words))
                               : fmt::format("{} {} instead of {}", words.now,
                                             amount_text(is, words), number_text(was, words.unit));
    if (words.more != nullptr && after.amounts.*words.more != before.amounts.*words.more) {
      text += fmt::format(", {}: {} instead of {}", words.what_more,
                          plain_number(after.amounts.*words.more),
                          plain_number(before.amounts.*words.more));
      is_same = false;
    }
    // An amount that changed as its time did needs no further reason.
    const bool grows = is > was || (words.more != nullptr &&
                                    after.amounts.*words.more > before.amounts.*words.more);
    if (!is_same && grows == (change[wait] > 0)) return text;
    if (const auto hiding = hiding_wait(wait, change)) {
      return text + fmt::format(", {} hidden behind its {}", change[wait] > 0 ? "no longer" : "now",
                                to_string(*hiding));
    }
    return is_same ? text + ", by other threads" : "although it " + text;
  }
  static std::optional<Wait> hiding_wait(Wait wait, const TimeParts& change) {
    const double sign = change[wait] > 0 ? -1 : 1;
    std::optional<Wait> hiding;
    for (const Wait other : AllWaits)
      if (!hiding || sign * change[other] > sign * change[*hiding]) hiding = other;
    return sign * change[*hiding] > HidingShare * std::abs(change[wait]) ? hiding : std::nullopt;
  }

  CauseOfChange summed_up(Cause cause, double least) {
    CauseOfChange result{.cause = cause, .steps = std::move(changes_[cause])};
    for (const StepChange& step : result.steps) result.seconds += step.seconds;
    std::ranges::stable_sort(result.steps, std::ranges::greater(),
                             [](const StepChange& step) { return std::abs(step.seconds); });
    const auto main = std::ranges::find_if(result.steps, [&result](const StepChange& step) {
      return (step.seconds > 0) == (result.seconds > 0);
    });
    if (cause == Cause::Launches && launches_ != 0) {
      result.sentence = fmt::format("{:.4g} steps start in a nonlinear iteration instead of {:.4g}",
                                    launches_before_ + launches_, launches_before_);
    } else if (main != result.steps.end()) {
      result.sentence =
          main->step.empty()
              ? main->sentence
              : fmt::format("{} {}: {}", main->step, signed_time(main->seconds), main->sentence);
    }
    std::erase_if(result.steps,
                  [least](const StepChange& step) { return std::abs(step.seconds) <= least; });
    return result;
  }

  const ProgramWork& from_;
  const ProgramWork& to_;
  const PriceScope& scope_;
  std::map<Cause, std::vector<StepChange>> changes_;
  double launches_ = 0;         // how many more there are
  double launches_before_ = 0;  // of a nonlinear iteration
};

}  // namespace

Expected<TimeChangeCauses> explain_change(const ProgramWork& from, const ProgramWork& to,
                                          const PriceScope& scope) {
  for (const auto& [work, which] : {std::pair(&from, "first"), std::pair(&to, "second")}) {
    if (work->bytes > scope.device.memory) {
      return fail("the {} schedule stores {}, which do not fit into the {} of {}", which,
                  quantity_text(work->bytes, "B"), quantity_text(scope.device.memory, "B"),
                  scope.device.name);
    }
  }
  return ChangeExplainer(from, to, scope).explain();
}

}  // namespace thallo
