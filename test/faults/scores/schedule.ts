import { randomUUID } from "node:crypto";
import type { DynamoDBRecord } from "aws-lambda";
import { passesFilters } from "../../../infra/local/mapping/filter-pattern.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import type { TraceScore } from "../../../lib/domain/scores/score.ts";
import { counterStore } from "../../../lib/store/totals/counters.ts";
import { addStatistics } from "../../../lib/domain/scores/statistics.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { scoreChanges } from "../../../lib/store/scores/changes.ts";
import { scoreCreation } from "../../../lib/store/scores/creation.ts";
import { scoreFigures } from "../../../lib/store/scores/figures.ts";
import { traceScoreKind } from "../../../lib/store/scores/kind.ts";
import { latestSessionScores } from "../../../lib/store/scores/latest-of-session.ts";
import { countEstimates } from "../../../lib/store/scores/count-estimates.ts";
import { newestScores } from "../../../lib/store/scores/newest.ts";
import { scoreRemoval } from "../../../lib/store/scores/removal.ts";
import { scoreStatistics } from "../../../lib/store/scores/statistics.ts";
import { scoreSummaries } from "../../../lib/store/scores/summaries.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { scoreFilters } from "../../../lib/stream/score-change.ts";
import { scoreWindow } from "../../../lib/stream/score-window.ts";
import { withoutDeletions } from "../../support/database/without-deletions.ts";
import type { TableStream } from "../../support/database/table-stream.ts";
import { faultyDatabase, type FaultyDatabase } from "../../support/faults/faults.ts";
import { slowRequests } from "../../support/faults/slow-requests.ts";
import { seededFaults, type Tally } from "../../support/faults/seeded-faults.ts";
import { seeded } from "../../support/random.ts";
import { someScore } from "../../support/scores.ts";
import { deleteTrace } from "../../support/traces/delete-trace.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { shardConsumerModel, type ShardBatch } from "../aggregates/shard-consumer-model.ts";
import { modelStream } from "../aggregates/shard-model.ts";
import { violations } from "../violations.ts";
import { storm } from "../weather.ts";

/** Result of a schedule of scores that are created, edited and deleted. */
export interface ScoresReport {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly tally: Tally;
}

const firstInstant = Date.UTC(2026, 10, 21, 9);
const names = ["helpful", "harmless"] as const;
const operationKinds = ["make", "make", "make", "make", "fail", "edit", "edit", "remove", "remove", "renew"] as const;
const maxAttempts = 400;
const maxDeliveries = 2_000;

/**
 * Summary of one score name: number of successes, and their mean rounded so that it does not depend on the order of the
 * sum.
 */
interface Summary {
  readonly success: number;
  readonly mean: string | null;
}

const summaryOf = (values: readonly number[]): Summary => ({
  success: values.length,
  mean: values.length === 0 ? null : (values.reduce((sum, value) => sum + value, 0) / values.length).toFixed(6),
});

const counts = ({ status, applicable }: TraceScore): boolean => status === "SUCCESS" && applicable !== false;

/** Text with the newest success that counts among scores of one name, its value, and the newest failure if newer. */
const newestOf = (scores: readonly TraceScore[]): string => {
  const ordered = scores.toSorted((a, b) => {
    const [keyOfA, keyOfB] = [`${a.created_at}#${a.id}`, `${b.created_at}#${b.id}`];
    return keyOfA < keyOfB ? 1 : -1;
  });
  const at = ordered.findIndex(({ status }) => status === "SUCCESS");
  const failure = ordered.findIndex(({ status }) => status === "FAILED");
  // The trace never changes, so a person's score outranks later ones of judges.
  const byPerson = ordered.find(({ status, source }) => status === "SUCCESS" && source === "ANNOTATION");
  const [success, failed] = [byPerson ?? ordered[at], at === -1 || failure < at ? ordered[failure] : undefined];
  return [success?.id, success?.value, failed?.id].map((each) => each ?? null).join(" ");
};

/**
 * Creates, edits and deletes scores through processes that fail and crash, while failing stream workers follow;
 * sometimes the trace is deleted and stored again. Afterwards the statistics must count each remaining score once, the
 * totals must match, and the newest score of each name must be correct.
 * @param stream the stream of the scores table, read by this schedule alone.
 */
export const runScores = async (database: Database, stream: TableStream, seed: number): Promise<ScoresReport> => {
  const random = seeded(seed);
  const [invariants, tally]: [ReturnType<typeof violations>, Tally] = [violations(), new Map()];
  const project = randomUUID();
  const weather = storm(random.fork("weather"));
  let [rates, slow, processes] = [weather.database, weather.slow, 0];

  const process = async <Result>(work: (connection: FaultyDatabase) => Promise<Result>): Promise<Result> => {
    processes += 1;
    const chance = random.fork(`process ${processes}`);
    const faults = seededFaults(chance, rates, tally);
    const processConnection = faultyDatabase(
      database,
      slowRequests(chance.fork("slow"), () => slow, faults),
    );
    const result = await work(processConnection);
    if (processConnection.crashed) throw new Error("The process has died.");
    return result;
  };
  /** Repeats work until it is acknowledged, as clients do. */
  const acknowledged = async <Result>(work: (connection: FaultyDatabase) => Promise<Result>): Promise<Result> => {
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      try {
        return await process(work);
      } catch {
        // Not acknowledged; the next attempt follows.
      }
    }
    throw new Error("A change was never acknowledged.");
  };

  const model = modelStream(random.fork("shards"));
  const consumer = shardConsumerModel(
    random.fork("consumer"),
    model,
    (batch: ShardBatch) =>
      process(async (connection) => {
        const follow = scoreWindow(
          scoreStatistics(connection),
          latestSessionScores(connection),
          newestScores(connection),
          counterStore(connection),
          withoutDeletions,
        );
        return (await follow(batch)).state;
      }),
    true,
  );
  const isOurs = (record: DynamoDBRecord): boolean =>
    passesFilters(record, scoreFilters) && record.dynamodb?.Keys?.["pk"]?.S?.startsWith(project) === true;
  const deliver = async (): Promise<boolean> => {
    model.add((await stream()).filter(isOurs));
    return await consumer.step();
  };

  const trace = someTrace();
  await traceStore(database, 0).save(project, trace);
  const alive = new Map<string, TraceScore>();
  const readIncarnation = async (): Promise<string> =>
    (await traceReader(database).locate(project, trace.trace_id))?.row.incarnation ?? "";
  const incarnations = [await readIncarnation()];
  const order = random.fork("order");
  const numeric = (): string => String(order.between(0, 8) / 8);
  for (
    let remaining = order.between(10, 40), at = firstInstant;
    remaining > 0;
    remaining -= 1, at += order.pick([0, 1, 1_000, 1_800_000])
  ) {
    const existingScores = [...alive.values()];
    const [selectedScore] =
      existingScores.length === 0 ? [] : [order.pick(existingScores as [TraceScore, ...TraceScore[]])];
    const kind = order.pick(operationKinds);
    if (kind === "renew" && remaining % 4 === 0) {
      // The trace is deleted with its scores and stored again.
      const lastIncarnation = incarnations.at(-1) ?? "";
      await deleteTrace(database, project, trace.trace_id);
      await acknowledged((connection) =>
        scoreRemoval(connection).removeScoresOfTrace(project, trace.trace_id, lastIncarnation),
      );
      await traceStore(database, 0).save(project, trace);
      incarnations.push(await readIncarnation());
      alive.clear();
    } else if (selectedScore === undefined || kind === "make" || kind === "fail" || kind === "renew") {
      const created_at = instantAt(at);
      const failed = { value: null, status: "FAILED", applicable: null } as const;
      const newScore = someScore({
        project_id: project,
        trace_id: trace.trace_id,
        name: order.pick(names),
        value: numeric(),
        source: order.pick(["ANNOTATION", "AUTOMATED", "PROGRAMMATIC"]),
        created_at,
        updated_at: created_at,
        ...(kind === "fail" && failed),
        ...(kind === "make" && order.chance(0.2) && { applicable: false, inapplicable_code: "no_plan" }),
      });
      await acknowledged((connection) => scoreCreation(connection).ofTrace(newScore));
      alive.set(newScore.id, newScore);
    } else if (kind === "edit") {
      const changes = { value: numeric(), status: "SUCCESS", source: "ANNOTATION", applicable: true } as const;
      await acknowledged((connection) =>
        scoreChanges(connection, traceScoreKind).edit(project, selectedScore.id, (score) => ({ ...score, ...changes })),
      );
      alive.set(selectedScore.id, { ...selectedScore, ...changes });
    } else {
      await acknowledged((connection) => scoreChanges(connection, traceScoreKind).remove(project, selectedScore.id));
      alive.delete(selectedScore.id);
    }
    if (order.chance(0.6)) await deliver();
  }

  [rates, slow] = [{}, 0];
  let deliveries = 0;
  while (deliveries < maxDeliveries && (await deliver())) deliveries += 1;
  invariants.expect(deliveries < maxDeliveries, "The stream's workers do not get to its end");

  const summaries = await scoreSummaries(database, traceScoreKind)(project, {});
  const parts = await scoreFigures(database, traceScoreKind).read(project, {});
  const numbers = countEstimates(database, "trace", Date.now);
  for (const name of [undefined, ...names]) {
    const scoreCount = [...alive.values()].filter((score) => name === undefined || score.name === name).length;
    const { matching } = await numbers(project, { name });
    invariants.expect(
      matching === scoreCount,
      `I29: counters say ${matching} of ${name ?? "all"} where ${scoreCount} scores are`,
    );
  }
  for (const name of names) {
    const scoresOfName = [...alive.values()].filter((score) => score.name === name);
    const values = scoresOfName.filter(counts).map(({ value }) => Number(value));
    const summary = summaries.find(({ metric_name }) => metric_name === name);
    const actualSummary: Summary = {
      success: summary?.success_count ?? 0,
      mean: summary?.avg_score?.toFixed(6) ?? null,
    };
    const [expectedJson, actualJson] = [JSON.stringify(summaryOf(values)), JSON.stringify(actualSummary)];
    invariants.expect(
      expectedJson === actualJson,
      `I19: the statistics of ${name} say ${actualJson} where the scores say ${expectedJson}`,
    );
  }
  for (const incarnation of incarnations) {
    const target = { project, target: "trace", id: trace.trace_id, incarnation } as const;
    const [newestByName = []] = await newestScores(database).of([target]);
    const remainingScores = incarnation === incarnations.at(-1) ? [...alive.values()] : [];
    for (const name of names) {
      const expectedNewest = newestOf(remainingScores.filter((score) => score.name === name));
      const newest = newestByName.find((each) => each.name === name);
      const actualNewest = [newest?.score?.id, newest?.score?.value, newest?.failure?.id]
        .map((each) => each ?? null)
        .join(" ");
      invariants.expect(
        actualNewest === expectedNewest,
        `I19: the newest score of ${name} is said to be ${actualNewest}, and is ${expectedNewest}`,
      );
    }
  }
  invariants.expect(
    // One shard's partial sum may be negative, the total of an hour may not.
    [...Map.groupBy(parts, ({ hour, name }) => `${hour} ${name}`).values()].every(
      (partsOfHour) => addStatistics(partsOfHour.map(({ statistics }) => statistics)).success >= 0,
    ),
    "I19: an hour has fewer scores than none",
  );
  return { seed, violations: invariants.messages, tally };
};
