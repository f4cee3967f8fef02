#include "core/language/schedule_file.h"

#include <utility>

#include "core/energy/validate.h"
#include "core/language/schedule_environment.h"
#include "core/language/session.h"
#include "core/language/source_text.h"

namespace thallo {

Expected<std::vector<ScheduleStatement>> load_schedule(const std::filesystem::path& path,
                                                       const LoadLimits& limits) {
  const auto text = language::read_source(path, "a schedule");
  if (!text) return fail(text.error());
  return load_schedule_text(*text, path.string(), limits);
}

Expected<std::vector<ScheduleStatement>> load_schedule_text(std::string_view text,
                                                            const std::string& name,
                                                            const LoadLimits& limits) {
  if (auto checked = language::check_is_text(text, name, "a schedule"); !checked)
    return fail(checked.error());
  language::Session session(name, "", limits);
  language::open_schedule_environment(session);
  session.run(language::to_lua_names(text));
  if (session.faults().empty()) return std::move(session.schedule).take(nullptr);
  std::vector<Diagnostic> faults = session.faults();
  for (Diagnostic& fault : faults) fault.what = language::from_lua_names(fault.what);
  return fail(combine_faults("the schedule", faults));
}

}  // namespace thallo
