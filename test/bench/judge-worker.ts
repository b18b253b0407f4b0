/**
 * The process that `judge-speed.ts` measures: what a judge worker does with a run, all of its slices at a time, apart from
 * fetching messages. Reads its orders from the environment.
 */
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { awsClient } from "../../lib/aws/aws-client.ts";
import { required } from "../../lib/wiring/environment.ts";
import { sliceEvaluation } from "../../lib/evaluation/slices/evaluate-slice.ts";
import { semaphore } from "../../lib/async/semaphore.ts";
import { inTurnOfProjects } from "../../lib/evaluation/slices/turns.ts";
import { traceTargets } from "../../lib/evaluation/slices/trace-targets.ts";
import { createJudge } from "../../lib/judge/create-judge.ts";
import type { Judge } from "../../lib/judge/judge.ts";
import { confidence } from "../../lib/metrics/trace/confidence.ts";
import { runStore } from "../../lib/store/runs/runs.ts";
import { sessionRows } from "../../lib/store/sessions/rows.ts";
import { settlement } from "../../lib/store/runs/settlement.ts";
import { turnStore } from "../../lib/store/runs/turns.ts";
import { sliceStore } from "../../lib/store/runs/slices.ts";
import { traceReader } from "../../lib/store/traces/reader.ts";
import { withoutCeilings } from "../support/runs/without-ceilings.ts";
import { measureWork } from "./measured-work.ts";

const [project, run] = [required("BENCH_PROJECT"), required("BENCH_RUN")];
const [places, copies] = [Number(required("BENCH_CALLS")), Number(required("BENCH_COPIES"))];
/** Slices at a time: enough to fill the places while some slices wait for the first, single call of each of their targets. */
const workers = 10;
/** Judge calls at a time in one slice, as in the default deployment. */
const callsPerSlice = 20;

const client = awsClient(DynamoDBClient);
const database = {
  client: DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } }),
  table: (name: string) => name,
};

/** As many calls at a time as several workers make together. */
const together = (judge: Judge): Judge => {
  const calls = semaphore(places);
  return {
    ...judge,
    target: (request) => {
      const target = judge.target(request);
      return { score: (metric, deadline) => calls(() => target.score(metric, deadline)) };
    },
  };
};

const judge = together(
  createJudge({
    metrics: Array.from({ length: copies }, (_, copy) => ({ ...confidence, name: `confidence_${copy}` })),
    providers: { custom: { baseUrl: "/base-url" } },
    parameter: async () => required("BENCH_JUDGE"),
  }),
);
const runs = runStore(database);
const sessions = sessionRows(database);
const traces = traceTargets(judge, traceReader(database), Date.now);
const evaluate = sliceEvaluation({
  runs,
  slices: sliceStore(database),
  settlement: settlement(database, { runs, sessions }),
  inTurn: inTurnOfProjects({ turns: turnStore(database), runs, now: Date.now }),
  targets: { TRACE: traces, SESSION: traces },
  judge,
  spending: withoutCeilings(database, Date.now),
  calls: callsPerSlice,
  now: Date.now,
});

const stored = await runs.read(project, run);
const slices = await runs.slices(project, run, stored?.attempt ?? "");
const deadline = Date.now() + 170_000;
const lanes = semaphore(workers);
await measureWork(
  async () => {
    await Promise.all(slices.map(({ slice }) => lanes(() => evaluate({ project, run, slice: slice.id }, deadline))));
  },
  async () => (await runs.get(project, run))?.scored ?? 0,
);
