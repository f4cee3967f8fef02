// The report of an exploration as texts: Markdown for people, JSON and CSV for programs.
#pragma once

#include <string>
#include <vector>

#include "core/explore/report/report.h"
#include "core/explore/report/schedule_steps.h"

namespace thallo::cli {

// What is told of one device.
struct ReportPage {
  const ExplorationReport& report;
  const DeviceReport& device;
  std::vector<ScheduleStep> steps = {};  // if asked for
};

// A picture beside the text: its file and what it shows.
struct LinkedFigure {
  std::string file;
  std::string title;
};

std::string report_markdown(const ReportPage& page, const std::vector<LinkedFigure>& figures);
// One object. Times are in seconds; what is not known is null.
std::string report_json(const ReportPage& page);
// A line for every candidate, below a line with the names of the columns.
std::string report_csv(const ReportPage& page);

}  // namespace thallo::cli
