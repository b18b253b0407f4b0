/**
 * Process measured by `judge-speed.ts`: a judge worker on all slices of a run at once, without fetching messages. Reads
 * its parameters from the environment.
 */
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { awsClient } from "../../lib/aws/aws-client.ts";
import { required } from "../../lib/wiring/environment.ts";
import { sliceEvaluation } from "../../lib/evaluation/slices/evaluate-slice.ts";
import { semaphore } from "../../lib/async/concurrency.ts";
import { fairShareTurns } from "../../lib/evaluation/slices/fair-share-turns.ts";
import { traceTargets } from "../../lib/evaluation/slices/trace-targets.ts";
import { createJudge } from "../../lib/judge/create-judge.ts";
import type { Judge } from "../../lib/judge/judge.ts";
import { confidence } from "../../lib/metrics/trace/confidence.ts";
import { runStore } from "../../lib/store/runs/runs.ts";
import { sessionRows } from "../../lib/store/sessions/rows.ts";
import { settlement } from "../../lib/store/runs/settlement.ts";
import { fairTurnStore } from "../../lib/store/runs/fair-turns.ts";
import { sliceStore } from "../../lib/store/runs/slices.ts";
import { traceReader } from "../../lib/store/traces/reader.ts";
import { withoutCeilings } from "../support/runs/without-ceilings.ts";
import { measureWork } from "./measured-work.ts";

const [project, run] = [required("BENCH_PROJECT"), required("BENCH_RUN")];
const [places, copies] = [Number(required("BENCH_CALLS")), Number(required("BENCH_COPIES"))];
/** Number of concurrent slices, enough to use all calls while some slices wait for the first call of each target. */
const workers = 10;
/** Number of concurrent judge calls per slice, as in the default deployment. */
const callsPerSlice = 20;

const client = awsClient(DynamoDBClient);
const database = {
  client: DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } }),
  table: (name: string) => name,
};

/** Limits concurrent calls to those of several workers. */
const withSharedCalls = (judge: Judge): Judge => {
  const calls = semaphore(places);
  return {
    ...judge,
    target: (request) => {
      const target = judge.target(request);
      const { shared } = target;
      return {
        score: (metric, deadline) => calls(() => target.score(metric, deadline)),
        ...(shared !== undefined && {
          shared: {
            groupsOf: (names) => shared.groupsOf(names),
            scoreAll: (names, deadline) => calls(() => shared.scoreAll(names, deadline)),
            setupOf: (...metric) => shared.setupOf(...metric),
          },
        }),
      };
    },
  };
};

const judge = withSharedCalls(
  createJudge({
    metrics: Array.from({ length: copies }, (_, copy) => ({ ...confidence, name: `confidence_${copy}` })),
    providers: { custom: { baseUrl: "/base-url" }, systemone: { baseUrl: "/base-url" } },
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
  runInTurn: fairShareTurns({
    turns: fairTurnStore(database),
    runs,
    now: Date.now,
  }),
  targets: { TRACE: traces, SESSION: traces },
  judge,
  spending: withoutCeilings(database, Date.now),
  calls: callsPerSlice,
  now: Date.now,
});

const storedRun = await runs.read(project, run);
const slices = await runs.slices(project, run, storedRun?.attempt ?? "");
const deadline = Date.now() + 170_000;
const lanes = semaphore(workers);
await measureWork(
  async () => {
    await Promise.all(slices.map(({ slice }) => lanes(() => evaluate({ project, run, slice: slice.id }, deadline))));
  },
  async () => (await runs.get(project, run))?.scored ?? 0,
);
