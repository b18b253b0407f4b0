/**
 * What lists of runs and scores cost as a project's history grows:
 *
 *     node test/bench/history.ts [--seed 1] [--runs 1000,10000,100000] [--scores 1000,100000]
 */
import { marshall } from "@aws-sdk/util-dynamodb";
import type { AttributeValue, DynamoDBRecord } from "aws-lambda";
import Table from "cli-table3";
import { randomUUID } from "node:crypto";
import { parseArgs } from "node:util";
import { instantAt } from "../../lib/domain/instant.ts";
import type { TraceScore } from "../../lib/domain/scores/score.ts";
import { counterStore } from "../../lib/store/counters.ts";
import type { Database } from "../../lib/store/database.ts";
import { runList } from "../../lib/store/runs/list.ts";
import { scoreList } from "../../lib/store/scores/list.ts";
import { traceScores } from "../../lib/store/scores/kind.ts";
import { runCounts } from "../../lib/stream/run-counts.ts";
import { scoreCounts } from "../../lib/stream/score-counts.ts";
import { startDatabase } from "../support/database/database.ts";
import { seeded } from "../support/random.ts";
import { runItem, writeRuns, type WrittenRun } from "../support/runs/run-items.ts";
import { someOrder } from "../support/runs/runs.ts";
import { scoreItem, writeScores } from "../support/score-items.ts";
import { someScore } from "../support/scores.ts";
import { countCapacity } from "./capacity.ts";

const [start, month] = [Date.UTC(2026, 9, 1), 30 * 86_400_000];

/** Things that are made, written and counted at a time. */
const group = 5_000;

/** What the stream tells of items that came. */
const recordsOf = (items: readonly Record<string, unknown>[], first: number): readonly DynamoDBRecord[] =>
  items.map((item, index) => ({
    dynamodb: {
      NewImage: marshall(item, { removeUndefinedValues: true }) as Record<string, AttributeValue>,
      SequenceNumber: String(first + index + 1),
    },
  }));

const runsOf = (projectId: string, monitorId: string, from: number, count: number, all: number) =>
  Array.from({ length: count }, (_, index): WrittenRun => ({
    order: someOrder({
      projectId,
      monitorId,
      name: "every minute",
      filters: { tags: ["checkout"], date_from: "2026-11-01" },
      model: "openai/gpt-5.4-mini",
      resolvedModel: "openai/gpt-5.4-mini",
      createdAt: instantAt(start + Math.floor(((from + index) * month) / all)),
    }),
    status: (from + index) % 20 === 0 ? "FAILED" : "COMPLETED",
  }));

const reason =
  "The agent answered what was asked, and each of its claims is backed by what its tools returned. ".repeat(4);

const scoresOf = (project_id: string, seed: number, from: number, count: number, all: number) => {
  const random = seeded(seed + from);
  return Array.from({ length: count }, (_, index): TraceScore => {
    const at = instantAt(start + Math.floor(((from + index) * month) / all));
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
        recordsOf(
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
    await counterStore(database).fold("shard", recordsOf(items, from).flatMap(scoreCounts));
  }
};

/** Measures every list at every size. */
const measure = async (runSizes: readonly number[], scoreSizes: readonly number[], seed: number): Promise<string> => {
  const database = await startDatabase();
  const spent = countCapacity(database);
  const head = ["list", "of", "read units", "requests", "ms", "answer"];
  const table = new Table({ head, style: { head: [], border: [] } });
  const look = async (list: string, of: number, read: () => Promise<{ readonly total: number }>): Promise<void> => {
    await read().catch(() => null);
    spent();
    const from = performance.now();
    const said = await read().then(
      ({ total }) => `total ${total}`,
      () => "refused",
    );
    const { read: units, calls } = spent();
    table.push([list, of, units.toFixed(1), calls, (performance.now() - from).toFixed(0), said]);
  };
  for (const size of runSizes) {
    const [project, monitor] = [randomUUID(), randomUUID()];
    await fillRuns(database, project, monitor, size);
    const list = runList(database);
    await look("runs, a default page", size, () => list.page(project, "TRACE", null, 50, 0));
    await look("runs of a monitor", size, () => list.ofMonitor(project, monitor, 50, 0));
    await look("runs that failed, 5 of 100", size, () => list.page(project, "TRACE", "FAILED", 50, 0));
    await look("runs, the last page", size, () => list.page(project, "TRACE", null, 50, size - 50));
  }
  for (const size of scoreSizes) {
    const project = randomUUID();
    await fillScores(database, project, seed, size);
    const list = scoreList(database, traceScores);
    const page = (filter: Parameters<typeof list.page>[1], offset = 0) => list.page(project, filter, 50, offset);
    await look("scores, a default page", size, () => page({}));
    await look("scores of a name", size, () => page({ name: "faithfulness" }));
    await look("scores that failed, 2 of 100", size, () => page({ status: "FAILED" }));
    await look("scores by people, 1 of 1,000", size, () => page({ source: "ANNOTATION" }));
    await look("scores of an environment", size, () => page({ environment: "staging" }));
    await look("scores, the last page", size, () => page({}, size - 50));
  }
  await database.close();
  return table.toString();
};

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      seed: { type: "string", default: "1" },
      runs: { type: "string", default: "1000,10000,100000" },
      scores: { type: "string", default: "1000,100000" },
    },
  });
  const sizes = (text: string): readonly number[] => (text === "" ? [] : text.split(",").map(Number));
  console.log(await measure(sizes(values.runs), sizes(values.scores), Number(values.seed)));
}
