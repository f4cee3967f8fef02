// Requests to workers, and what they say, as lines of JSON.
#include "core/explore/worker/messages.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "core/explore/worker/requests.h"

namespace thallo {
namespace {

using testing::ElementsAre, testing::HasSubstr, testing::SizeIs;
using Kind = WorkerMessage::Kind;

constexpr double Infinity = std::numeric_limits<double>::infinity();

template <class Request>
Request back(const Request& request) {
  std::int64_t id = 0;
  const auto read = read_request(request_line(5, request), id);
  EXPECT_TRUE(read) << read.error().message();
  EXPECT_EQ(id, 5);
  return read ? std::get<Request>(*read) : Request();
}

std::string request_fault(const std::string& line, std::int64_t wanted_id = 0) {
  std::int64_t id = -1;
  const auto read = read_request(line, id);
  EXPECT_FALSE(read);
  EXPECT_EQ(id, wanted_id);
  return read ? "" : read.error().message();
}

TEST(WorkerRequests, AreReadAsTheyAreWritten) {
  ExplorationTarget target{.problem = "image_warping"};
  target.bindings = {{"Mask", "mask.png"}};
  target.options.set("size", std::int64_t{16});
  target.options.set("weight", 1.0);
  target.options.set("file", "a.png");
  target.options.set("fast", true);
  target.precision = Precision::Double;
  target.solver_options = {{"nIterations", "3"}, {"nIterations", "4"}};
  target.sites = FoundSites::All;
  target.passes.bounds = false;
  target.plugin_path = {"/here"};
  const OpenRequest opened = back(OpenRequest{.target = target, .device = true, .spec = "a\nb"});
  EXPECT_TRUE(opened.device);
  EXPECT_FALSE(opened.architecture);
  EXPECT_EQ(opened.spec, "a\nb");
  EXPECT_EQ(opened.target.bindings.at(0).source, "mask.png");
  EXPECT_EQ(opened.target.options, target.options);
  EXPECT_EQ(opened.target.precision, Precision::Double);
  EXPECT_EQ(opened.target.solver_options, target.solver_options);
  EXPECT_EQ(opened.target.passes, target.passes);
  EXPECT_EQ(opened.target.sites, FoundSites::All);
  EXPECT_THAT(opened.target.plugin_path, ElementsAre("/here"));
  EXPECT_EQ(back(PrepareRequest{"r.fit:strategy(\"[J]p\")\n"}).schedule,
            "r.fit:strategy(\"[J]p\")\n");
  EXPECT_TRUE(back(KernelsRequest{"", true}).compile);
  EXPECT_THAT(back(TimeRequest{"", {"a", "b"}}).keys, ElementsAre("a", "b"));
  EXPECT_EQ(back(SolveRequest{"", 4}).solves, 4);
  EXPECT_EQ(back(RunOrder{target, "s", "/there"}).folder, "/there");
  back(CancelRequest());
}

TEST(WorkerRequests, SayWhatIsWrongWithALine) {
  EXPECT_THAT(request_fault("garbage"), HasSubstr("a JSON object"));
  EXPECT_THAT(request_fault("[1]"), HasSubstr("a JSON object"));
  EXPECT_THAT(request_fault(R"({"do":"prepare"})"), HasSubstr("a number 'id'"));
  EXPECT_THAT(request_fault(R"({"id":"one","do":"cancel"})"), HasSubstr("a number 'id'"));
  EXPECT_THAT(request_fault(R"({"id":3,"do":"dance"})", 3), HasSubstr("'dance' is no request"));
  EXPECT_THAT(request_fault(R"({"id":3})", 3), HasSubstr("'' is no request"));
  EXPECT_THAT(request_fault(R"({"id":3,"do":"prepare"})", 3), HasSubstr("'schedule' is missing"));
  EXPECT_THAT(request_fault(R"({"id":3,"do":"prepare","schedule":1})", 3),
              HasSubstr("'schedule' is no text"));
  EXPECT_THAT(request_fault(R"({"id":3,"do":"prepare","schedule":"","key":1})", 3),
              HasSubstr("there is no field 'key'"));
}

TEST(WorkerMessages, AreReadAsTheyAreWritten) {
  std::ostringstream out;
  MessageWriter writer(out, 7);
  writer.doing({.what = "solve", .solve = 2});
  writer.doing({.what = "timing apply", .step = "K"});
  writer.part(TimedStep{.key = "K", .hot = {1e-6, 2e-6}, .fault = "none"});
  writer.answer(NoAnswer());
  writer.error(
      {.reason = "too large \xff", .status = ResultStatus::OutOfMemory, .is_cancelled = true});
  std::vector<WorkerMessage> read;
  std::istringstream lines(out.str());
  for (std::string line; std::getline(lines, line);) read.push_back(read_message(line).value());
  ASSERT_THAT(read, SizeIs(5));
  for (const WorkerMessage& message : read) EXPECT_EQ(message.id, 7);
  EXPECT_EQ(read[0].doing.what, "solve");
  EXPECT_EQ(read[0].doing.solve, 2);
  EXPECT_EQ(read[1].doing.step, "K");
  EXPECT_EQ(read[2].kind, Kind::Part);
  EXPECT_THAT(read[2].as<TimedStep>().hot, ElementsAre(1e-6, 2e-6));
  EXPECT_EQ(read[3].kind, Kind::Answer);
  EXPECT_EQ(read[4].fault.status, ResultStatus::OutOfMemory);
  EXPECT_THAT(read[4].fault.reason, HasSubstr("too large"));
  EXPECT_TRUE(read[4].fault.is_cancelled);
  for (const char* line :
       {"", "12", "[1]", "{}", R"({"id":1})", R"({"id":"x","answer":{}})", R"({"id":1,"doing":2})"})
    EXPECT_FALSE(read_message(line)) << line;
}

TEST(WorkerMessages, KeepNumbersThatJsonLacksAndSayWhatIsMissing) {
  PreparedSchedule prepared{.bytes = 3};
  prepared.predictions = {{.device = "", .model = "roofline", .nonlinear_seconds = Infinity}};
  prepared.steps = {{.key = "K", .label = "apply", .phase = Phase::Apply}};
  prepared.steps[0].predicted["roofline"] = Infinity;
  prepared.kernels = {{.key = "k", .compiler = "", .role = "apply", .registers = 12}};
  const auto its = read_message_text<PreparedSchedule>(message_text(prepared));
  EXPECT_EQ(its.predictions, prepared.predictions);
  EXPECT_EQ(its.steps[0].predicted.at("roofline"), Infinity);
  EXPECT_EQ(its.steps[0].phase, Phase::Apply);
  EXPECT_EQ(its.kernels, prepared.kernels);

  ScheduleResult result{.trace = {{0, NAN}, {1, -Infinity}}};
  result.verification_error = Infinity;
  const auto solved = read_message_text<ScheduleResult>(message_text(result));
  EXPECT_EQ(solved.verification_error, Infinity);
  EXPECT_FALSE(solved.small_error);
  EXPECT_TRUE(std::isnan(solved.trace[0].cost));
  EXPECT_EQ(solved.trace[1].cost, -Infinity);
  const auto fault_of_text = [](const std::string& text) -> std::string {
    try {
      read_message_text<TimedStep>(text);
    } catch (const std::runtime_error& fault) {
      return fault.what();
    }
    return "";
  };
  EXPECT_THAT(fault_of_text(R"({"key":"K","hot":[],"fault":""})"),
              HasSubstr("'evicted' is missing"));
  EXPECT_THAT(fault_of_text(R"({"key":"K","hot":["x"],"evicted":[],"fault":""})"),
              HasSubstr("'hot' has an element that is no number"));
}

}  // namespace
}  // namespace thallo
