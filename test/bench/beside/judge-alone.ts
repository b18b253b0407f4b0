/** Process measured by `../judge.ts`: the service's judge on traces from standard input, without a run and without storing results. */
import { text } from "node:stream/consumers";
import { array, custom, parse } from "valibot";
import { semaphore } from "../../../lib/async/concurrency.ts";
import type { IdentifiedTrace } from "../../../lib/domain/traces/input.ts";
import { mergeTrace } from "../../../lib/domain/traces/merge.ts";
import { createJudge } from "../../../lib/judge/create-judge.ts";
import { confidence } from "../../../lib/metrics/trace/confidence.ts";
import { required } from "../../../lib/wiring/environment.ts";
import { measureWork } from "../measured-work.ts";

const names = Array.from({ length: Number(required("BENCH_COPIES")) }, (_, copy) => `confidence_${copy}`);
const places = semaphore(Number(required("BENCH_CALLS")));
const traces = parse(array(custom<IdentifiedTrace>(() => true)), JSON.parse(await text(process.stdin)));
const judge = createJudge({
  metrics: names.map((name) => ({ ...confidence, name })),
  providers: { custom: { baseUrl: "/base-url" } },
  parameter: async () => required("BENCH_JUDGE"),
});

let scored = 0;
const request = { runId: "run", projectId: "project", traceVersion: 1, model: "custom/judge", isModelExplicit: true };
const calls = traces.flatMap((trace) => {
  const target = judge.target({ ...request, trace: mergeTrace(null, trace) });
  return names.map((name) => async () => {
    if ((await target.score(name, Date.now() + 60_000)).kind === "scored") scored += 1;
  });
});
const work = async (): Promise<void> => void (await Promise.all(calls.map((call) => places(call))));
await measureWork(work, async () => scored);
