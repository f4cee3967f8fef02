// Makes a program deterministic. Where points of a kernel meet at an element that they add to, the
// kernel computes, segment by segment, sums over lists of these points instead (AdditionOrder), and
// a second kernel, launched behind it, adds the sums of an element's segments to it.
//
// It comes last, when the types of all fields are known, and knows no product by name: whatever a
// plan or a linear solver scatters, is ordered here.
#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/error.h"
#include "core/kernel/lowering/stages.h"
#include "core/kernel/meetings.h"

namespace thallo {
namespace {

class AdditionOrdering {
 public:
  explicit AdditionOrdering(ProgramBuilder& builder) : b_(builder), g_(builder.graph()) {}

  void run() {
    b_.program().is_deterministic = true;
    std::map<std::size_t, std::size_t> finishing;  // by the kernel that they are launched behind
    for (std::size_t k = 0, all = b_.program().kernels.size(); k < all; ++k) {
      Kernel kernel = b_.program().kernels[k];
      if (auto sums = ordered(kernel)) {
        b_.program().kernels[k] = std::move(kernel);
        finishing.emplace(k, b_.add_kernel(*std::move(sums)));
      }
    }
    for (auto& [phase, steps] : b_.program().phases) {
      std::vector<Step> all;
      for (const Step& step : steps) {
        all.push_back(step);
        const auto* launch = std::get_if<LaunchKernel>(&step);
        if (launch == nullptr || !finishing.contains(launch->kernel)) continue;
        LaunchKernel behind = *launch;
        behind.kernel = finishing.at(launch->kernel);
        all.emplace_back(std::move(behind));
      }
      steps = std::move(all);
    }
  }

 private:
  // The additions by equal lists of points, those lists by what their targets are.
  using Targets = std::vector<std::vector<DimId>>;  // the dims of the fields
  using Points = std::pair<std::vector<IndexId>, std::vector<DomainId>>;
  struct Sum {
    Statement add;  // one of them, for the field and the channels
    std::vector<ExprId> values;
  };
  // By memory, fields, channels, and the indices of constant additions.
  using Sums =
      std::map<std::tuple<FieldId, std::vector<FieldId>, std::vector<int>, std::vector<IndexId>>,
               Sum>;
  struct Group {
    std::vector<FieldId> fields;
    std::map<Points, Sums> lists;
  };
  using Groups = std::map<Targets, Group>;

  // Takes the additions at which points meet out of the kernel, which computes their sums by
  // segment instead. Returns the kernel that adds these up; none if no points meet.
  std::optional<Kernel> ordered(Kernel& kernel) {
    const Meetings meetings(b_.program(), kernel);
    std::vector<Meeting> taken;
    for (Section& section : kernel.sections)
      section.body = without_meeting(meetings, section, section.body, section.domains, taken);
    if (taken.empty()) return std::nullopt;
    std::erase_if(kernel.sections, [](const Section& section) { return section.body.empty(); });
    Kernel sums{.role = "add_in_order",
                .label = "add_in_order" + kernel.label.substr(kernel.role.size()),
                .part = kernel.part,
                .part_role = kernel.part_role,
                .compute = kernel.compute};
    for (const auto& [targets, group] : grouped(taken)) add_sums(kernel, sums, group);
    return sums;
  }

  // An addition that is taken out of the kernel.
  struct Meeting {
    Statement statement;
    Addition addition;
    std::vector<DomainId> points;
  };
  Block without_meeting(const Meetings& meetings, const Section& section, const Block& block,
                        const std::vector<DomainId>& points, std::vector<Meeting>& taken) {
    Block rest;
    for (const Statement& statement : block) {
      if (const auto* loop = std::get_if<Loop>(&statement.node)) {
        std::vector<DomainId> all = points;
        all.insert(all.end(), loop->domains.begin(), loop->domains.end());
        Block inner = without_meeting(meetings, section, loop->body, all, taken);
        if (!inner.empty()) rest.push_back({Loop{loop->domains, std::move(inner)}});
        continue;
      }
      const auto addition = addition_in(statement);
      if (addition && meetings.meet(section, *addition)) {
        taken.push_back({statement, *addition, points});
      } else {
        rest.push_back(statement);
      }
    }
    return rest;
  }

  // All points of additions at constant indices meet: these share a list, of all points, but for
  // those to memory that has other targets, too.
  Groups grouped(const std::vector<Meeting>& taken) const {
    const auto is_constant = [this](const Addition& addition) {
      return std::ranges::all_of(
          addition.at, [this](IndexId index) { return g_.indices().domains_of(index).empty(); });
    };
    std::set<std::pair<FieldId, Targets>> varies;
    for (const Meeting& meeting : taken) {
      if (!is_constant(meeting.addition))
        varies.emplace(meeting.addition.memory, targets_of(meeting.addition.fields));
    }
    Groups groups;
    for (const auto& [statement, addition, points] : taken) {
      const Targets targets = targets_of(addition.fields);
      const bool shares = is_constant(addition) && !varies.contains({addition.memory, targets});
      const std::vector<IndexId> none;
      Group& group = groups[shares ? Targets() : targets];
      if (!shares) group.fields = addition.fields;
      Sum& sum = group.lists[{shares ? none : addition.at, points}][{
          addition.memory, addition.fields, addition.channels, shares ? addition.at : none}];
      sum.add = statement;
      sum.values.push_back(addition.value);
    }
    return groups;
  }

  void add_sums(Kernel& segments, Kernel& sums, const Group& group) {
    const AdditionOrder order = order_of(group);
    const std::vector<DomainId> target = {b_.fresh_domain(order.targets, "t")};
    const IndexId here = g_.indices().intern(target);
    Section section{.domains = target};
    if (group.fields.empty()) section.team = WholeBlock;  // the only target has all segments
    std::map<Sums::key_type, Sum> added;
    for (const AdditionOrder::List& list : order.lists) {
      const DomainId run = g_.indices().add_run(list.segments, "s", list.segments_of, here);
      const IndexId place = g_.indices().intern(std::span(&run, 1));
      for (const auto& [entry, partial] : sums_of_segments(segments, group, list)) {
        Sum& sum = added[entry];
        sum.add = group.lists.at({list.at, list.domains}).at(entry).add;
        sum.values.push_back(g_.sum({run}, b_.read(partial.field, place, partial.channel)));
      }
    }
    std::vector<IndexId> at;
    for (const MapId elements : order.elements) at.push_back(target_element(elements, here));
    for (auto& [entry, sum] : added)
      section.body.push_back(adding(sum.add, at, g_.add(sum.values)));
    sums.sections.push_back(std::move(section));
  }

  struct Partial {
    FieldId field;
    int channel = 0;
  };
  // Appends the section that sums up the points of each segment, and returns where its sums are.
  std::map<Sums::key_type, Partial> sums_of_segments(Kernel& kernel, const Group& group,
                                                     const AdditionOrder::List& list) {
    const std::vector<DomainId> segment = {b_.fresh_domain(list.segments, "s")};
    const IndexId here = g_.indices().intern(segment);
    const DomainId run = g_.indices().add_run(list.points, "k", list.begin, here);
    const IndexId place = g_.indices().intern(std::span(&run, 1));
    DomainSubstitution point;
    for (std::size_t d = 0; d < list.domains.size(); ++d) {
      point.emplace(list.domains[d],
                    g_.indices().component(list.point, static_cast<int>(d), place));
    }
    const Sums& sums = group.lists.at({list.at, list.domains});
    std::map<ScalarType, int> num_channels;
    for (const auto& [entry, sum] : sums) ++num_channels[type_of(entry)];
    std::map<ScalarType, Partial> next;
    for (const auto& [type, channels] : num_channels) {
      next[type].field = b_.stored_field(BufferKind::Partials, b_.unused_buffer_name("partials"),
                                         segment, channels, type);
    }
    std::map<Sums::key_type, Partial> result;
    Section section{.domains = segment};
    ExprGraph::Rebuilt rebuilt;
    for (const auto& [entry, sum] : sums) {
      const Partial partial = next[type_of(entry)];
      ++next[type_of(entry)].channel;
      const ExprId value = g_.substitute(g_.add(sum.values), point, rebuilt);
      section.body.push_back({Store{partial.field, here, partial.channel, g_.sum({run}, value)}});
      result.emplace(entry, partial);
    }
    kernel.sections.push_back(std::move(section));
    return result;
  }

  ScalarType type_of(const Sums::key_type& entry) const {
    return b_.program().field(std::get<0>(entry)).type;
  }

  IndexId target_element(MapId elements, IndexId target) {
    MultiIndex index;
    if (elements.valid()) {
      for (std::size_t d = 0; d < b_.program().maps[elements.index()].out.size(); ++d)
        index.push_back(g_.indices().component(elements, static_cast<int>(d), target));
    }
    return g_.indices().intern(std::move(index));
  }

  // The statement with another value, and where it is not constant with another index.
  static Statement adding(Statement statement, const std::vector<IndexId>& at, ExprId value) {
    if (auto* add = std::get_if<ScatterAdd>(&statement.node)) {
      if (!at.empty()) add->index = at.front();
      add->value = value;
    } else {
      auto& entry = std::get<MatrixAdd>(statement.node);
      if (!at.empty()) entry.row.index = at.front();
      if (!at.empty()) entry.col.index = at.back();
      entry.value = value;
    }
    return statement;
  }

  Targets targets_of(const std::vector<FieldId>& fields) const {
    Targets targets;
    for (const FieldId field : fields) targets.push_back(b_.program().field(field).dims);
    return targets;
  }

  // Kernels that add at the same accesses share an order.
  AdditionOrder order_of(const Group& group) {
    std::vector<Points> lists;
    for (const auto& [points, sums] : group.lists) lists.push_back(points);
    const auto [known, is_new] =
        orders_.try_emplace({targets_of(group.fields), lists}, b_.program().addition_orders.size());
    if (is_new) b_.program().addition_orders.push_back(make_order(group.fields, lists));
    return b_.program().addition_orders[known->second];
  }

  AdditionOrder make_order(const std::vector<FieldId>& fields, const std::vector<Points>& lists) {
    AdditionOrder order{.fields = fields, .targets = b_.add_dim("targets")};
    for (const FieldId field : fields) {
      const std::vector<DimId> dims = b_.program().field(field).dims;
      order.elements.push_back(dims.empty() ? MapId()
                                            : b_.add_table("target", {order.targets}, dims, false));
    }
    for (const auto& [at, domains] : lists) {
      AdditionOrder::List list{.at = at,
                               .domains = domains,
                               .points = b_.add_dim("points of targets"),
                               .segments = b_.add_dim("segments of targets")};
      std::vector<DimId> dims;
      for (const DomainId domain : domains) dims.push_back(g_.indices().domain(domain).dim);
      list.point = b_.add_table("point", {list.points}, std::move(dims), false);
      list.begin = b_.add_table("points of segment", {list.segments}, {list.points}, false);
      list.segments_of =
          b_.add_table("segments of target", {order.targets}, {list.segments}, false);
      order.lists.push_back(std::move(list));
    }
    return order;
  }

  ProgramBuilder& b_;
  ExprGraph& g_;
  std::map<std::pair<Targets, std::vector<Points>>, std::size_t> orders_;
};

}  // namespace

void order_additions(ProgramBuilder& builder) { AdditionOrdering(builder).run(); }

}  // namespace thallo
