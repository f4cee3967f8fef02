// Records as lines of JSON.
#include "core/explore/store/store_json.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/explore/store_records.h"

namespace thallo {
namespace {

using testing::HasSubstr, testing::IsEmpty, testing::SizeIs;
using namespace test;  // NOLINT: the records of these tests

const std::string Format = "{\"thallo_store\":6}\n";

std::string parse_fault(const std::string& content) {
  const auto records = parse_json_lines("results.jsonl", content);
  return records ? "read" : records.error().message();
}

TEST(StoreJson, WritesALineForEachRecordAndReadsIt) {
  const std::vector<StoreRecord> records = {
      SampleDevice,
      StepSamples{{"p1", "cuda", "abc", CacheState::Evicted}, {0.25, 0.5}, "", {"c", 7}}};
  EXPECT_EQ(to_json_lines(records),
            Format +
                "{\"record\":\"device\",\"signature\":\"cuda NVIDIA H200 sm_90\","
                "\"name\":\"NVIDIA H200\",\"backend\":\"cuda\",\"spec\":\"\"}\n"
                "{\"record\":\"samples\",\"problem\":\"p1\",\"device\":\"cuda\",\"key\":\"abc\","
                "\"cache\":\"evicted\",\"seconds\":[0.25,0.5],\"reason\":\"\",\"commit\":\"c\","
                "\"unix_seconds\":7,\"uuid\":\"\"}\n");
  const std::vector<StoreRecord> all = all_records();
  const auto read = parse_json_lines("results.jsonl", to_json_lines(all));
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(*read, all);
}

TEST(StoreJson, WritesNumbersAndBytesThatJsonLacks) {
  ScheduleResult result = result_of(0, ResultKind::EndToEnd);
  const double infinity = std::numeric_limits<double>::infinity();
  result.trace = {{0, infinity}, {1, -infinity}, {2, std::nan("")}};
  const StoreRecord record = result;
  const auto read = parse_json_lines("results.jsonl", to_json_lines({&record, 1}));
  ASSERT_TRUE(read) << read.error().message();
  const auto& trace = std::get<ScheduleResult>(read->front()).trace;
  EXPECT_EQ(trace[0].cost, infinity);
  EXPECT_EQ(trace[1].cost, -infinity);
  EXPECT_TRUE(std::isnan(trace[2].cost));
  // What a compiler says need not be UTF-8.
  const StoreRecord kernel =
      KernelRecord{.key = "key", .compiler = "g++", .role = "apply", .reason = "no \xff here"};
  const auto back = parse_json_lines("results.jsonl", to_json_lines({&kernel, 1}));
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(std::get<KernelRecord>(back->front()).reason, "no \xff here");
}

TEST(StoreJson, ReadsFormatsOfEarlierVersions) {
  const std::string kernel =
      "{\"record\":\"kernel\",\"key\":\"k\",\"compiler\":\"NVRTC\",\"role\":\"apply\","
      "\"registers\":40,\"spill_bytes\":0,\"reason\":\"\"}\n";
  const auto read = parse_json_lines("results.jsonl", "{\"thallo_store\":1}\n" + kernel);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(std::get<KernelRecord>(read->front()), (KernelRecord{"k", "NVRTC", "apply", 40, 0}));
  EXPECT_THAT(parse_fault(Format + kernel), HasSubstr("'shared_bytes' is missing"));
  const std::string schedule =
      "{\"record\":\"schedule\",\"problem\":\"p\",\"hash\":\"h\",\"text\":\"\",\"bytes\":1,"
      "\"places\":[],\"predictions\":[],\"steps\":[]}\n";
  const auto schedules = parse_json_lines("results.jsonl", "{\"thallo_store\":2}\n" + schedule);
  ASSERT_TRUE(schedules) << schedules.error().message();
  EXPECT_EQ(std::get<ScheduleRecord>(schedules->front()), (ScheduleRecord{"p", "h", "", 1}));
  EXPECT_THAT(parse_fault(Format + schedule), HasSubstr("'decisions' is missing"));
  const std::string device =
      "{\"record\":\"device\",\"signature\":\"s\",\"name\":\"n\",\"backend\":\"cpu\"}\n";
  const auto devices = parse_json_lines("results.jsonl", "{\"thallo_store\":3}\n" + device);
  ASSERT_TRUE(devices) << devices.error().message();
  EXPECT_EQ(std::get<DeviceRecord>(devices->front()), (DeviceRecord{"s", "n", "cpu"}));
  EXPECT_THAT(parse_fault(Format + device), HasSubstr("'spec' is missing"));
}

TEST(StoreJson, WritesRunsWithTheirEvents) {
  SearchRunRecord run = run_of("one");
  run.request.settings.clear();
  run.state.figures.pop_back();
  run.events.pop_back();
  const StoreRecord record = run;
  EXPECT_EQ(to_json_lines({&record, 1}),
            Format +
                "{\"record\":\"run\",\"id\":\"one\",\"problem\":\"p0123456789ab\","
                "\"device\":\"cuda NVIDIA H200 sm_90\",\"search\":\"beam\","
                "\"space\":\"s3f09ab771c24\",\"options\":{\"freezing\":\"true\",\"width\":\"8\"},"
                "\"settings\":{},\"seed\":18446744073709551615,\"kind\":\"composed\","
                "\"budget\":60.0,\"commit\":\"0123abc\",\"unix_seconds\":1800000003,\"uuid\":\"\","
                "\"seconds\":2.5,\"ending\":\"open\",\"figures\":[{\"name\":\"states priced\","
                "\"value\":1203.0,\"unit\":\"count\"}],\"events\":[{\"at\":1.0,\"schedule\":\"" +
                hash_of(0) + "\",\"seconds\":0.5,\"was_known\":false}]}\n");
  EXPECT_THAT(parse_fault(Format + "{\"record\":\"run\",\"id\":\"one\"}"),
              HasSubstr("'problem' is missing of a run"));
}

TEST(StoreJson, SkipsBlankLinesAndRefusesOtherFiles) {
  EXPECT_THAT(*parse_json_lines("r", Format), IsEmpty());
  EXPECT_THAT(*parse_json_lines("r",
                                "\n{\"thallo_store\":1}\r\n\r\n"
                                "{\"record\":\"space\",\"id\":\"s\",\"description\":\"\"}"),
              SizeIs(1));
  EXPECT_EQ(parse_fault(""), "results.jsonl: the file is empty");
  EXPECT_EQ(parse_fault("x,y\n"), "results.jsonl:1: the line is no JSON object");
  EXPECT_EQ(parse_fault("[1]\n"), "results.jsonl:1: the line is no JSON object");
  EXPECT_EQ(parse_fault("{\"a\":1}\n"),
            "results.jsonl:1: the first line must be {\"thallo_store\": 6}");
  EXPECT_EQ(parse_fault("{\"thallo_store\":7}\n"),
            "results.jsonl:1: this is format 7, and 1 to 6 are known");
}

TEST(StoreJson, SaysWhichLineIsWrongAndWhy) {
  const std::string space = "{\"record\":\"space\",\"id\":\"s\",\"description\":\"\"}\n";
  EXPECT_EQ(parse_fault(Format + space + "{\"record\":\"space\",\"id\":\"s\""),
            "results.jsonl:3: the line is no JSON object");
  EXPECT_EQ(parse_fault(Format + "{\"id\":\"s\"}"), "results.jsonl:2: 'record' is missing");
  EXPECT_EQ(parse_fault(Format + "{\"record\":\"spce\"}"),
            "results.jsonl:2: there is no record 'spce' (legal: device, problem, space, kernel, "
            "step, samples, schedule, result, run)");
  EXPECT_EQ(parse_fault(Format + "{\"record\":\"space\",\"id\":\"s\"}"),
            "results.jsonl:2: 'description' is missing of a space");
  EXPECT_EQ(parse_fault(Format + "{\"record\":\"space\",\"id\":3,\"description\":\"\"}"),
            "results.jsonl:2: 'id' is no text of a space");
  EXPECT_EQ(
      parse_fault(Format +
                  "{\"record\":\"space\",\"id\":\"s\",\"description\":\"\",\"descriptoin\":\"\"}"),
      "results.jsonl:2: there is no field 'descriptoin'; did you mean 'description'? of a space");
  EXPECT_EQ(parse_fault(Format + "{\"record\":\"space\",\"id\":\"\",\"description\":\"\"}"),
            "results.jsonl:2: a space has no id");
}

TEST(StoreJson, ChecksWhatIsInsideOfArraysAndTexts) {
  const auto samples = [](const std::string& cache, const std::string& times) {
    return Format + "{\"record\":\"samples\",\"problem\":\"p\",\"device\":\"d\",\"key\":\"k\"," +
           "\"cache\":" + cache + ",\"seconds\":" + times +
           ",\"reason\":\"\",\"commit\":\"\",\"unix_seconds\":0,\"uuid\":\"\"}";
  };
  EXPECT_EQ(parse_fault(samples("\"hot\"", "[1e-3]")), "read");
  EXPECT_THAT(parse_fault(samples("\"warm\"", "[1]")),
              HasSubstr("'cache' is illegal: there is no state of the caches 'warm' (legal: hot, "
                        "evicted)"));
  EXPECT_THAT(parse_fault(samples("\"hot\"", "[1, \"fast\"]")),
              HasSubstr("'seconds' has an element that is no number"));
  EXPECT_THAT(parse_fault(samples("\"hot\"", "1")), HasSubstr("'seconds' is no array"));
  EXPECT_THAT(parse_fault(samples("\"hot\"", "[-1]")), HasSubstr("a time of k is -1 s"));
  EXPECT_THAT(parse_fault(Format + "{\"record\":\"schedule\",\"problem\":\"p\",\"hash\":\"h\","
                                   "\"text\":\"\",\"bytes\":1,\"predictions\":[],"
                                   "\"places\":[{\"space\":\"s\",\"index\":7}]}"),
              HasSubstr("'places' has an element that is refused: 'index' is no text"));
}

}  // namespace
}  // namespace thallo
