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

using testing::HasSubstr;
using namespace test;  // NOLINT: the records of these tests

const std::string Format = "{\"thallo_store\":6}\n";

TEST(StoreJson, WritesALineForEachRecord) {
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
}

TEST(StoreJson, WritesNumbersAndBytesThatJsonLacks) {
  ScheduleResult result = result_of(0, ResultKind::EndToEnd);
  const double infinity = std::numeric_limits<double>::infinity();
  result.trace = {{0, infinity}, {1, -infinity}, {2, std::nan("")}};
  const StoreRecord record = result;
  EXPECT_THAT(to_json_lines({&record, 1}),
              HasSubstr("{\"seconds\":0.0,\"cost\":\"inf\"},{\"seconds\":1.0,\"cost\":\"-inf\"},"
                        "{\"seconds\":2.0,\"cost\":\"nan\"}"));
  // What a compiler says need not be UTF-8.
  const StoreRecord kernel =
      KernelRecord{.key = "key", .compiler = "g++", .role = "apply", .reason = "no \xff"};
  EXPECT_THAT(to_json_lines({&kernel, 1}), HasSubstr("\"reason\":[110,111,32,255]"));
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
}

}  // namespace
}  // namespace thallo
