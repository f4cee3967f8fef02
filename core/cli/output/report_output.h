// Writes the report of an exploration: as Markdown for people, as JSON and CSV for programs.
#pragma once

#include <string>
#include <vector>

#include "core/explore/report/report.h"
#include "core/explore/report/schedule_steps.h"

namespace thallo::cli {

// The content of the report about one device.
struct ReportPage {
  const ExplorationReport& report;
  const DeviceReport& device;
  std::vector<ScheduleStep> steps = {};  // present if requested
};

// A figure beside the text: its file and its title.
struct LinkedFigure {
  std::string file;
  std::string title;
};

std::string report_markdown(const ReportPage& page, const std::vector<LinkedFigure>& figures);
// Returns one object. Times are in seconds; unknown values are null.
std::string report_json(const ReportPage& page);
// Returns a header line with the names of the columns, then a line for every candidate.
std::string report_csv(const ReportPage& page);

}  // namespace thallo::cli
