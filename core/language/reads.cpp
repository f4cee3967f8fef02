#include "core/language/reads.h"

#include <vector>

#include <fmt/format.h>

#include "core/base/log.h"

namespace thallo::language {
namespace {

std::vector<IndexExpr> index_exprs(Call& call, const std::vector<Affine>& components) {
  std::vector<IndexExpr> result;
  for (const Affine& component : components) result.emplace_back(&call.builder(), component);
  return result;
}

// A coordinate of a sampled image; an index stands for its number.
ExprId coordinate(Call& call, int i) {
  if (const auto* index = call.find<IndexTuple>(i);
      index != nullptr && index->components.size() == 1)
    return call.graph().index_value(index->components[0]);
  return call.scalar(i, "a coordinate (scalar expression)");
}

}  // namespace

ExprId channel_of(Call& call, const Elements& channels, std::int64_t channel) {
  if (channel < 0 || static_cast<std::size_t>(channel) >= channels.size())
    call.fault("channel {} of {}, which has {}; channels count from 0", channel, call.describe(1),
               channels.size());
  return channels.ids[static_cast<std::size_t>(channel)];
}

int push_domain(Call& call) {
  const auto& dim = call.expect<DimRef>(1, "a dim");
  const std::string name = call.has(2) ? call.identifier(2, "a name for the loop variable") : "";
  const DomainId domain = call.builder().add_domain(dim.id, name);
  return call.push(Value(IndexTuple{{call.graph().indices().component(domain)}}));
}

Elements read(Call& call, FieldId field, const std::vector<Affine>& index) {
  const std::size_t before = call.num_faults();
  const Vec channels = call.builder().read(field, index_exprs(call, index), call.where());
  call.require_no_fault_since(before);
  Elements result{{}, channels.size() > 1};
  for (const Expr& channel : channels) result.ids.push_back(channel.id());
  result.manifold = call.load().manifold_of(field);
  return result;
}

int read_field(Call& call) {
  const FieldId field = call.expect<FieldRef>(1, "a field").id;
  std::vector<Affine> index = call.components(2, call.num_arguments());
  const std::size_t rank = call.load().data().fields[field.index()].dims.size();
  const int last = call.num_arguments();
  if (index.size() == rank + 1 && call.is_number(last)) {
    index.pop_back();
    const Elements channels = read(call, field, index);
    return call.push_scalar(channel_of(call, channels, call.integer(last, "a channel")));
  }
  return call.push(read(call, field, index));
}

int look_up(Call& call) {
  const MapId map = call.expect<MapRef>(1, "a sparse map").id;
  const std::vector<IndexExpr> index = index_exprs(call, call.components(2, call.num_arguments()));
  if (++call.load().num_lookups > TextLoad::MaxLookups)
    throw Stop{
        fmt::format("the text looks up sparse maps more than {} times; is there an endless loop?",
                    TextLoad::MaxLookups)};
  const std::size_t num_outputs = call.load().data().maps[map.index()].out.size();
  const std::size_t before = call.num_faults();
  IndexTuple result;
  for (std::size_t output = 0; output < num_outputs; ++output) {
    result.components.push_back(
        call.builder().lookup(map, index, static_cast<int>(output), call.where()).affine());
    call.require_no_fault_since(before);
  }
  return call.push(Value(std::move(result)));
}

int make_sampled_image(Call& call) {
  const auto& fields = call.load().data().fields;
  const auto image_at = [&](int i) {
    if (const auto* sampled = call.find<SampledImage>(i)) return sampled->sampler.image;
    const FieldId id = call.expect<FieldRef>(i, "a field with two dims").id;
    if (fields[id.index()].dims.size() != 2)
      call.fault("{} has {} dims; a sampled image has two", call.describe(i),
                 fields[id.index()].dims.size());
    return id;
  };
  SampledImage result;
  result.sampler.image = image_at(1);
  if (call.has(2) != call.has(3))
    call.fault("give both derivative images, SampledImage(image, dx, dy), or none");
  if (call.has(2)) {
    result.sampler.dx = image_at(2);
    result.sampler.dy = image_at(3);
    const Field& image = fields[result.sampler.image.index()];
    for (const FieldId id : {result.sampler.dx, result.sampler.dy}) {
      const Field& derivative = fields[id.index()];
      if (derivative.dims != image.dims || derivative.channels != image.channels)
        call.fault("the derivative image {} must have the dims and channels of {}", derivative.name,
                   image.name);
    }
  }
  return call.push(Value(result));
}

int sample(Call& call) {
  const Sampler sampler = call.expect<SampledImage>(1, "a sampled image").sampler;
  if (call.num_arguments() != 3 && call.num_arguments() != 4)
    call.fault("a sampled image is read at (x, y) or (x, y, channel), found {} arguments",
               call.num_arguments() - 1);
  const ExprId x = coordinate(call, 2);
  const ExprId y = coordinate(call, 3);
  const int channels = call.load().data().fields[sampler.image.index()].channels;
  Elements result{{}, channels > 1};
  for (int c = 0; c < channels; ++c) result.ids.push_back(call.graph().sample(sampler, x, y, c));
  if (call.has(4)) return call.push_scalar(channel_of(call, result, call.integer(4, "a channel")));
  return call.push(result);
}

int make_sampled_image_array(Call& call) {
  if (call.num_arguments() > 1)  // published texts hand them over
    logger("language")
        .warn("{}: SampledImageArray: the derivative images are not used, its derivative is 0",
              call.where().text());
  const FieldId id = call.expect<FieldRef>(1, "a field with three dims").id;
  const std::vector<DimId>& dims = call.load().data().fields[id.index()].dims;
  if (dims.size() != 3)
    call.fault("{} has {} dims; a sampled image array has three, the last of them the layers",
               call.describe(1), dims.size());
  return call.push(Value(SampledImageArray{id}));
}

int sample_layer(Call& call) {
  const FieldId images = call.expect<SampledImageArray>(1, "a sampled image array").images;
  if (call.num_arguments() != 4 && call.num_arguments() != 5)
    call.fault(
        "a sampled image array is read at (x, y, layer) or (x, y, layer, channel), found {} "
        "arguments",
        call.num_arguments() - 1);
  const ExprId x = coordinate(call, 2);
  const ExprId y = coordinate(call, 3);
  const ExprId layer = coordinate(call, 4);
  const int channels = call.load().data().fields[images.index()].channels;
  Elements result{{}, channels > 1};
  for (int c = 0; c < channels; ++c)
    result.ids.push_back(call.graph().sample_layer(images, x, y, layer, c));
  if (call.has(5)) return call.push_scalar(channel_of(call, result, call.integer(5, "a channel")));
  return call.push(result);
}

}  // namespace thallo::language
