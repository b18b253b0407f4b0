import { randomUUID } from "node:crypto";
import { type RunOrder, wholeTargets } from "../../../lib/domain/runs/run.ts";
import type { TraceScore } from "../../../lib/domain/scores/score.ts";
import { everyScoreOfRun } from "../../../lib/evaluation/read/scores-of-run.ts";
import { judgedPair, unscoredPair } from "../../../lib/evaluation/slices/settled-pairs.ts";
import { traceScorer } from "../../../lib/evaluation/slices/trace-targets.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { runScores } from "../../../lib/store/scores/of-run.ts";
import { runCreation } from "../../../lib/store/runs/creation.ts";
import { runStore, type Runs } from "../../../lib/store/runs/runs.ts";
import { traceScoreKind } from "../../../lib/store/scores/kind.ts";
import { sessionRows } from "../../../lib/store/sessions/rows.ts";
import type { SettledPair } from "../../../lib/store/runs/settled-pairs.ts";
import { settlement, type Settlement } from "../../../lib/store/runs/settlement.ts";
import type { StoredSlice } from "../../../lib/store/runs/slice-codec.ts";
import { sliceStore } from "../../../lib/store/runs/slices.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { saveTraces } from "../../support/traces/save-traces.ts";
import { someOrder } from "../../support/runs/runs.ts";
import { someTrace } from "../../support/traces/traces.ts";

/** A created run over stored traces. */
export interface StoredFixture {
  readonly order: RunOrder;
  readonly targets: readonly string[];
  readonly runs: Runs;
  /** Ids of the run's slices in order. */
  readonly slices: readonly string[];
  /** Claims the slice with this index, at an instant in epoch milliseconds or now. @throws Error when the slice is not free. */
  claim(slice: number, at?: number): Promise<StoredSlice>;
  /** Builds a judged pair of a claimed slice; a null value makes it a failed judgement. */
  judged(storedSlice: StoredSlice, pair: number, value: number | null): Promise<SettledPair>;
  /** Builds all pairs of a claimed slice, each scored with 0.5. */
  allJudged(storedSlice: StoredSlice): Promise<readonly SettledPair[]>;
  scores(): Promise<readonly TraceScore[]>;
}

/** Creates a settlement on a database connection. */
export const settling = (database: Database, now: () => number = Date.now): Settlement =>
  settlement(database, { runs: runStore(database, now), sessions: sessionRows(database, now) }, now);

/** Stores traces and creates a run of them in a new project. @param targets number of traces. @param fields overrides of the trace with an index. */
export const storedRun = async (
  database: Database,
  targets: number,
  metrics: readonly string[],
  overrides: Partial<RunOrder> = {},
  fields: (index: number) => Parameters<typeof someTrace>[0] = () => ({}),
): Promise<StoredFixture> => {
  const projectId = randomUUID();
  const traces = Array.from({ length: targets }, (_, index) => someTrace(fields(index)));
  await saveTraces(database, projectId, traces);
  const ids = traces.map(({ trace_id }) => trace_id);
  const order = someOrder({ projectId, metrics, total: targets, ...overrides });
  const runs = runStore(database);
  await runCreation(database)(order, wholeTargets(ids));
  const runRecord = await runs.read(projectId, order.id);
  const slices = (await runs.slices(projectId, order.id, runRecord?.attempt ?? "")).map(({ slice }) => slice.id);

  const read = (target: string) => traceReader(database).get(projectId, target);
  const pairOf = (trace: Awaited<ReturnType<typeof read>>, pair: number, value: number | null): SettledPair => {
    if (trace === null) return unscoredPair(pair, null);
    const judgement = { value, reason: value === null ? "It broke." : `It is ${value}.`, metadata: {} };
    const scored = traceScorer({ order }, trace, Date.now);
    return judgedPair(pair, judgement, scored(metrics[pair % metrics.length] ?? "", judgement));
  };

  return {
    order,
    targets: ids,
    runs,
    slices,
    claim: async (slice, at) => {
      const store = at === undefined ? sliceStore(database) : sliceStore(database, () => at);
      const claim = await store.claim(projectId, order.id, slices[slice] ?? "");
      if (claim.kind !== "claimed") throw new Error(`The slice is ${claim.kind}.`);
      return claim.slice;
    },
    judged: async ({ slice }, pair, value) =>
      pairOf(await read(slice.targets[Math.floor(pair / metrics.length)] ?? ""), pair, value),
    allJudged: async ({ slice }) => {
      const storedTraces = await Promise.all(slice.targets.map(read));
      return storedTraces.flatMap((trace, target) =>
        metrics.map((_, metric) => pairOf(trace, target * metrics.length + metric, 0.5)),
      );
    },
    scores: async () => {
      const runRecord = await runs.read(projectId, order.id);
      const scores: TraceScore[] = [];
      if (runRecord === null) return scores;
      for await (const score of everyScoreOfRun(runRecord, runs, runScores(database, traceScoreKind)))
        scores.push(score);
      return scores;
    },
  };
};
