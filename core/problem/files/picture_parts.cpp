#include "core/problem/files/picture_parts.h"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

namespace thallo {
namespace {

using Layers = std::span<const Layer>;

// Makes a part of all channels whose names begin with `prefix`, which the part leaves out. Several
// layers, which are equal in shape, are a third dim.
DataPart make_part(Layers layers, std::string_view prefix = "") {
  const Layer& first = layers.front();
  DataPart part;
  part.extents = {first.width, first.height};
  if (layers.size() > 1) part.extents.push_back(std::ssize(layers));
  part.full_scale = first.full_scale;
  std::vector<std::size_t> picked;
  for (std::size_t c = 0; c < first.channels.size(); ++c) {
    if (!first.channels[c].starts_with(prefix)) continue;
    picked.push_back(c);
    part.channels.push_back(first.channels[c].substr(prefix.size()));
  }
  part.values.reserve(layers.size() * static_cast<std::size_t>(first.width) *
                      static_cast<std::size_t>(first.height) * picked.size());
  for (const Layer& layer : layers) {
    std::visit(
        [&](const auto& samples) {
          for (std::size_t pixel = 0; pixel < samples.size(); pixel += first.channels.size())
            for (const std::size_t c : picked)
              part.values.push_back(static_cast<double>(samples[pixel + c]));
        },
        layer.samples);
  }
  return part;
}

// Returns the channels of R, G and B, or the one that is gray already; empty if a part has neither.
std::vector<std::size_t> gray_channels(const std::vector<std::string>& channels) {
  if (channels.size() == 1) return {0};
  const auto begins_with = [&](std::string_view letters) {
    return channels.size() >= 3 &&
           std::ranges::equal(std::span(channels).first(3), letters,
                              [](const std::string& channel, char letter) {
                                return channel == std::string_view(&letter, 1);
                              });
  };
  if (begins_with("rgb") || begins_with("RGB")) return {0, 1, 2};
  for (const char* name : {"gray", "Y"}) {
    const auto found = std::ranges::find(channels, name);
    if (found != channels.end()) return {static_cast<std::size_t>(found - channels.begin())};
  }
  return {};
}

DataPart to_gray(const DataPart& colors) {
  constexpr double Luma[] = {0.299, 0.587, 0.114};
  const std::vector<std::size_t> channels = gray_channels(colors.channels);
  DataPart gray{colors.name, colors.extents, {"gray"}, {}, colors.full_scale};
  for (std::size_t at = 0; at < colors.values.size(); at += colors.num_channels()) {
    double light = colors.values[at + channels.front()];
    if (channels.size() == 3) {
      light = 0;
      for (const std::size_t c : channels) light += Luma[c] * colors.values[at + c];
    }
    gray.values.push_back(light);
  }
  return gray;
}

// Adds a layer, and those of its channels together that are named "layer.channel".
void add_layer(const Layer& layer, PartSources& sources) {
  const auto add = [&](const std::string& name, const std::string& prefix) {
    if (name.empty()) return;
    sources.push_back({name, [&layer, prefix]() -> Expected<DataPart> {
                         if (!layer.fault.empty()) return fail("{}", layer.fault);
                         return make_part({&layer, 1}, prefix);
                       }});
  };
  add(layer.name, "");
  for (const std::string& channel : layer.channels) {
    const std::string prefix = channel.substr(0, channel.rfind('.') + 1);
    if (prefix.empty()) continue;
    const std::string name =
        (layer.name.empty() ? "" : layer.name + '.') + prefix.substr(0, prefix.size() - 1);
    if (std::ranges::find(sources, name, &PartSource::name) == sources.end()) add(name, prefix);
  }
}

// Chooses the layers that `pixels` means.
Expected<Layers> choose_layers(const DataFile& file, const Raster& raster, int rank) {
  const Layers layers = raster.layers;
  if (rank == 3 && raster.is_stack()) return layers;
  const bool has_pages = file.suffix == ".tif";
  if (layers.size() > 1 && (rank == 3 || raster.is_stack() || has_pages)) {
    std::vector<std::string> names;
    for (const Layer& layer : layers) names.push_back(layer.name);
    return fail(Diagnostic{
        fmt::format("has {} {}{}; choose one{}", layers.size(), has_pages ? "pages" : "parts",
                    raster.is_stack() ? "" : " that differ in extents, channels or bits",
                    raster.is_stack() ? ", or bind it to an input over 3 dims" : ""),
        {file.path, 0, 0},
        std::move(names)});
  }
  if (!layers.front().fault.empty()) return fail_at({file.path}, "{}", layers.front().fault);
  return layers.first(1);
}

}  // namespace

PartSources picture_sources(const DataFile& file, const Raster& raster, int rank) {
  const auto whole = [&file, &raster, rank]() -> Expected<DataPart> {
    THALLO_TRY(const auto layers, choose_layers(file, raster, rank));
    return make_part(layers);
  };
  PartSources sources = {{"pixels", whole}};
  if (!gray_channels(raster.layers.front().channels).empty()) {
    sources.push_back({"gray", [whole]() -> Expected<DataPart> {
                         THALLO_TRY(const auto colors, whole());
                         return to_gray(colors);
                       }});
  }
  if (!raster.index.channels.empty())
    sources.push_back({"index", [&raster] { return make_part({&raster.index, 1}); }});
  for (const Layer& layer : raster.layers) add_layer(layer, sources);
  return sources;
}

}  // namespace thallo
