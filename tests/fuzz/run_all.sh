#!/usr/bin/env bash
# run_all.sh SECONDS OUTDIR, in the installed folder: feeds every reader (and the language) that there
# are seeds for, that long each, as many at once as there are processors. OUTDIR/findings gets the
# inputs that break one, OUTDIR/logs what it said, OUTDIR/corpus the inputs that reached new code (a
# later run goes on from there). Prints a table; fails if anything broke.
set -euo pipefail

fuzz_one() {
  local name=$1 seconds=$2 out=$3 here=$4 dictionary=()
  [[ ! -f $here/dictionaries/$name.dict ]] || dictionary=("-dict=$here/dictionaries/$name.dict")
  mkdir -p "$out/corpus/$name"
  THALLO_FUZZ=$name "$here/bin/fuzz" -max_total_time="$seconds" -timeout=15 -rss_limit_mb=2560 \
    -print_final_stats=1 -artifact_prefix="$out/findings/$name-" "${dictionary[@]}" \
    "$out/corpus/$name" "$here/seeds/$name" >"$out/logs/$name.log" 2>&1 || true
}

# Where a process may not be traced (some containers), the check for leaks cannot run.
allow_untraced() {
  local first=$1 here=$2
  local said
  said=$(THALLO_FUZZ=$first "$here/bin/fuzz" -runs=0 2>&1) || true
  if [[ $said == *'LeakSanitizer has encountered a fatal error'* ]]; then
    export ASAN_OPTIONS=${ASAN_OPTIONS:-}:detect_leaks=0
    echo 'run_all.sh: leaks cannot be detected on this machine' >&2
  fi
}

# What libFuzzer found, by the names that it gives to files: "2 crash, 1 timeout", or "-".
found_by() {
  local name=$1 findings=$2 text='' kind count
  for kind in crash timeout oom leak; do
    count=$(find "$findings" -name "$name-$kind-*" | wc -l)
    [[ $count -eq 0 ]] || text+="${text:+, }$count $kind"
  done
  echo "${text:--}"
}

print_table() {
  local out=$1 name log runs rate found broken=0
  shift
  printf '%-12s %12s %10s %10s  %s\n' input runs exec/s corpus found
  for name in "$@"; do
    log=$out/logs/$name.log
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    rate=$(sed -n 's/^stat::average_exec_per_sec: *//p' "$log")
    found=$(found_by "$name" "$out/findings")
    # Without statistics it did not come to its end, whatever the reason.
    [[ -n $runs || $found != - ]] || found="did not run: $(tail -n 1 "$log")"
    [[ $found == - ]] || broken=1
    printf '%-12s %12s %10s %10s  %s\n' "$name" "${runs:-?}" "${rate:-?}" \
      "$(find "$out/corpus/$name" -type f | wc -l)" "$found"
  done
  return "$broken"
}

[[ $# -eq 2 && $1 =~ ^[1-9][0-9]*$ ]] || { echo 'usage: run_all.sh SECONDS OUTDIR' >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$2/findings" "$2/logs"
out=$(cd "$2" && pwd)

names=()
for folder in "$here"/seeds/*/; do names+=("$(basename "$folder")"); done
allow_untraced "${names[0]}" "$here"
export -f fuzz_one
printf '%s\n' "${names[@]}" |
  xargs -P "$(nproc)" -I NAME bash -c 'fuzz_one "$@"' fuzz NAME "$1" "$out" "$here"
print_table "$out" "${names[@]}"
