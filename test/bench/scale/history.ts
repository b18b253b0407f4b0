import { randomUUID } from "node:crypto";
import { instantAt } from "../../../lib/domain/instant.ts";
import type { TraceScore } from "../../../lib/domain/scores/score.ts";
import { counterStore } from "../../../lib/store/totals/counters.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { runList } from "../../../lib/store/runs/list.ts";
import { scoreList } from "../../../lib/store/scores/list.ts";
import { traceScoreKind } from "../../../lib/store/scores/kind.ts";
import { runCounts } from "../../../lib/stream/run-counts.ts";
import { scoreCounts } from "../../../lib/stream/score-counts.ts";
import { startDatabase } from "../../support/database/database.ts";
import { recordsOfItems } from "../../support/database/records-of-items.ts";
import { seeded } from "../../support/random.ts";
import { runItem, writeRuns, type WrittenRun } from "../../support/runs/run-items.ts";
import { someOrder } from "../../support/runs/runs.ts";
import { scoreItem, writeScores } from "../../support/score-items.ts";
import { someScore } from "../../support/scores.ts";
import { quantity, scaleMeter } from "./scale-meter.ts";

const [start, month] = [Date.UTC(2026, 9, 1), 30 * 86_400_000];

/** Number of items generated, written and measured together. */
const group = 5_000;

const runsOf = (projectId: string, monitorId: string, from: number, count: number, total: number) =>
  Array.from({ length: count }, (_, index): WrittenRun => ({
    order: someOrder({
      projectId,
      monitorId,
      name: "every minute",
      filters: { tags: ["checkout"], date_from: "2026-11-01" },
      model: "openai/gpt-5.4-mini",
      resolvedModel: "openai/gpt-5.4-mini",
      createdAt: instantAt(start + Math.floor(((from + index) * month) / total)),
    }),
    status: (from + index) % 20 === 0 ? "FAILED" : "COMPLETED",
  }));

const reason =
  "The agent answered what was asked, and each of its claims is backed by what its tools returned. ".repeat(4);

const scoresOf = (project_id: string, seed: number, from: number, count: number, total: number) => {
  const random = seeded(seed + from);
  return Array.from({ length: count }, (_, index): TraceScore => {
    const at = instantAt(start + Math.floor(((from + index) * month) / total));
    return someScore({
      project_id,
      trace_id: randomUUID(),
      name: random.pick(["task_completion", "tool_correctness", "faithfulness", "coherence"]),
      status: random.chance(0.02) ? "FAILED" : "SUCCESS",
      source: random.chance(0.001) ? "ANNOTATION" : "AUTOMATED",
      environment: random.pick(["production", "staging"]),
      value: String(random.between(0, 10) / 10),
      reason: reason.slice(random.between(0, 60)),
      created_at: at,
      updated_at: at,
    });
  });
};

const fillRuns = async (database: Database, project: string, monitor: string, count: number): Promise<void> => {
  for (let from = 0; from < count; from += group) {
    const runs = runsOf(project, monitor, from, Math.min(group, count - from), count);
    await writeRuns(database, runs);
    await counterStore(database).fold(
      "shard",
      runCounts(
        recordsOfItems(
          runs.map((run) => runItem(run)),
          from,
        ),
      ),
    );
  }
};

const fillScores = async (database: Database, project: string, seed: number, count: number): Promise<void> => {
  for (let from = 0; from < count; from += group) {
    const scores = scoresOf(project, seed, from, Math.min(group, count - from), count);
    await writeScores(database, scores);
    const items = scores.map((score) => scoreItem(score));
    await counterStore(database).fold("shard", recordsOfItems(items, from).flatMap(scoreCounts));
  }
};

/** Measures the lists of a monitor with `count` runs. */
export const benchRuns = async (count: number): Promise<void> => {
  const database = await startDatabase();
  const [project, monitor] = [randomUUID(), randomUUID()];
  await fillRuns(database, project, monitor, count);
  const [measure, list] = [scaleMeter(database, quantity(count, "runs")), runList(database)];
  const totalOf = (page: Promise<{ readonly total: number }>): Promise<string> =>
    page.then(({ total }) => `total ${total.toLocaleString("en")}`);
  await measure("runs, default page", () => totalOf(list.page(project, "TRACE", {}, 50, 0)));
  await measure("runs of a monitor", () => totalOf(list.ofMonitor(project, monitor, 50, 0)));
  await measure("runs that failed, 5 of 100", () => totalOf(list.page(project, "TRACE", { status: "FAILED" }, 50, 0)));
  await measure("runs, the last page", () => totalOf(list.page(project, "TRACE", {}, 50, count - 50)));
  await database.close();
};

/** Measures the lists of `count` scores. */
export const benchScores = async (count: number): Promise<void> => {
  const database = await startDatabase();
  const project = randomUUID();
  await fillScores(database, project, 1, count);
  const [measure, list] = [scaleMeter(database, quantity(count, "scores")), scoreList(database, traceScoreKind)];
  const page = async (filter: Parameters<typeof list.page>[1], offset = 0): Promise<string> =>
    `total ${(await list.page(project, filter, 50, offset)).total.toLocaleString("en")}`;
  await measure("scores, default page", () => page({}));
  await measure("scores of a name", () => page({ name: "faithfulness" }));
  await measure("scores that failed, 2 of 100", () => page({ status: "FAILED" }));
  await measure("scores by people, 1 of 1,000", () => page({ source: "ANNOTATION" }));
  await measure("scores of an environment", () => page({ environment: "staging" }));
  await measure("scores, the last page", () => page({}, count - 50));
  await database.close();
};
