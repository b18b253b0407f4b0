import { randomUUID } from "node:crypto";
import type { DynamoDBRecord } from "aws-lambda";
import { passesFilters } from "../../../infra/local/mapping/filter-pattern.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import type { TraceScore } from "../../../lib/domain/scores/score.ts";
import { counterStore } from "../../../lib/store/counters.ts";
import { addStatistics } from "../../../lib/domain/scores/statistics.ts";
import type { Database } from "../../../lib/store/database.ts";
import { scoreChanges } from "../../../lib/store/scores/changes.ts";
import { scoreCreation } from "../../../lib/store/scores/creation.ts";
import { scoreFigures } from "../../../lib/store/scores/figures.ts";
import { traceScores } from "../../../lib/store/scores/kind.ts";
import { latestSessionScores } from "../../../lib/store/scores/latest-of-session.ts";
import { scoreNumbers } from "../../../lib/store/scores/numbers.ts";
import { newestScores } from "../../../lib/store/scores/newest.ts";
import { scoreRemoval } from "../../../lib/store/scores/removal.ts";
import { scoreStatistics } from "../../../lib/store/scores/statistics.ts";
import { scoreSummaries } from "../../../lib/store/scores/summaries.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { scoreFilters } from "../../../lib/stream/score-change.ts";
import { scoreWindow } from "../../../lib/stream/score-window.ts";
import { allLiving } from "../../support/database/all-living.ts";
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

/** What came of a schedule of scores that are made, edited and removed. */
export interface ScoresReport {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly tally: Tally;
}

const begin = Date.UTC(2026, 10, 21, 9);
const names = ["helpful", "harmless"] as const;
const deeds = ["make", "make", "make", "make", "fail", "edit", "edit", "remove", "remove", "renew"] as const;
const mostAttempts = 400;
const mostDeliveries = 2_000;

/** What a summary says of a name, the mean to the places that do not depend on the order of a sum. */
interface Told {
  readonly success: number;
  readonly mean: string | null;
}

const toldOf = (values: readonly number[]): Told => ({
  success: values.length,
  mean: values.length === 0 ? null : (values.reduce((sum, value) => sum + value, 0) / values.length).toFixed(6),
});

const counts = ({ status, applicable }: TraceScore): boolean => status === "SUCCESS" && applicable !== false;

/** The newest success among scores of one name, its value, and the newest failure where that is newer. */
const newestOf = (scores: readonly TraceScore[]): string => {
  const ordered = scores.toSorted((a, b) => {
    const [one, other] = [`${a.created_at}#${a.id}`, `${b.created_at}#${b.id}`];
    return one < other ? 1 : -1;
  });
  const at = ordered.findIndex(({ status }) => status === "SUCCESS");
  const failure = ordered.findIndex(({ status }) => status === "FAILED");
  const [success, failed] = [ordered[at], at === -1 || failure < at ? ordered[failure] : undefined];
  return [success?.id, success?.value, failed?.id].map((each) => each ?? null).join(" ");
};

/**
 * People and programs make, edit and remove scores through processes that fail and die, while the stream's workers that fail
 * and die follow; now and then the trace is deleted and stored anew. Afterwards the statistics have to be those of the scores
 * that are there, each counted once, totals how many there are, and the newest of each name the newest.
 *
 * @param stream the stream of the table of scores, read by this schedule alone.
 */
export const runScores = async (database: Database, stream: TableStream, seed: number): Promise<ScoresReport> => {
  const random = seeded(seed);
  const [broken, tally]: [ReturnType<typeof violations>, Tally] = [violations(), new Map()];
  const project = randomUUID();
  const weather = storm(random.fork("weather"));
  let [rates, slow, processes] = [weather.database, weather.slow, 0];

  const process = async <Result>(work: (own: FaultyDatabase) => Promise<Result>): Promise<Result> => {
    processes += 1;
    const chance = random.fork(`process ${processes}`);
    const faults = seededFaults(chance, rates, tally);
    const own = faultyDatabase(
      database,
      slowRequests(chance.fork("slow"), () => slow, faults),
    );
    const result = await work(own);
    if (own.crashed) throw new Error("The process has died.");
    return result;
  };
  /** Asked again until it is acknowledged, as clients do. */
  const acknowledged = async <Result>(work: (own: FaultyDatabase) => Promise<Result>): Promise<Result> => {
    for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
      try {
        return await process(work);
      } catch {
        // Not acknowledged.
      }
    }
    throw new Error("A change was never acknowledged.");
  };

  const model = modelStream(random.fork("shards"));
  const consumer = shardConsumerModel(
    random.fork("consumer"),
    model,
    (batch: ShardBatch) =>
      process(async (own) => {
        const follow = scoreWindow(
          scoreStatistics(own),
          latestSessionScores(own),
          newestScores(own),
          counterStore(own),
          allLiving,
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
  const lifeOf = async (): Promise<string> =>
    (await traceReader(database).locate(project, trace.trace_id))?.row.incarnation ?? "";
  const lives = [await lifeOf()];
  const order = random.fork("order");
  const numeric = (): string => String(order.between(0, 8) / 8);
  for (let left = order.between(10, 40), at = begin; left > 0; left -= 1, at += order.pick([0, 1, 1_000, 1_800_000])) {
    const known = [...alive.values()];
    const [chosen] = known.length === 0 ? [] : [order.pick(known as [TraceScore, ...TraceScore[]])];
    const deed = order.pick(deeds);
    if (deed === "renew" && left % 4 === 0) {
      // Deleted with its scores and stored anew.
      const life = lives.at(-1) ?? "";
      await deleteTrace(database, project, trace.trace_id);
      await acknowledged((own) => scoreRemoval(own).removeScoresOfTrace(project, trace.trace_id, life));
      await traceStore(database, 0).save(project, trace);
      lives.push(await lifeOf());
      alive.clear();
    } else if (chosen === undefined || deed === "make" || deed === "fail" || deed === "renew") {
      const created_at = instantAt(at);
      const failed = { value: null, status: "FAILED", applicable: null } as const;
      const made = someScore({
        project_id: project,
        trace_id: trace.trace_id,
        name: order.pick(names),
        value: numeric(),
        created_at,
        updated_at: created_at,
        ...(deed === "fail" && failed),
        ...(deed === "make" && order.chance(0.2) && { applicable: false, inapplicable_code: "no_plan" }),
      });
      await acknowledged((own) => scoreCreation(own).ofTrace(made));
      alive.set(made.id, made);
    } else if (deed === "edit") {
      const edited = { ...chosen, value: numeric(), status: "SUCCESS", applicable: true } as const;
      await acknowledged((own) => scoreChanges(own, traceScores).edit(project, chosen.id, () => edited));
      alive.set(chosen.id, edited);
    } else {
      await acknowledged((own) => scoreChanges(own, traceScores).remove(project, chosen.id));
      alive.delete(chosen.id);
    }
    if (order.chance(0.6)) await deliver();
  }

  [rates, slow] = [{}, 0];
  let deliveries = 0;
  while (deliveries < mostDeliveries && (await deliver())) deliveries += 1;
  broken.expect(deliveries < mostDeliveries, "The stream's workers do not get to its end");

  const summaries = await scoreSummaries(database, traceScores)(project, {});
  const parts = await scoreFigures(database, traceScores).read(project, {});
  const numbers = scoreNumbers(database, "trace", Date.now);
  for (const name of [undefined, ...names]) {
    const there = [...alive.values()].filter((score) => name === undefined || score.name === name).length;
    const { matching } = await numbers(project, { name });
    broken.expect(matching === there, `I29: counters say ${matching} of ${name ?? "all"} where ${there} scores are`);
  }
  for (const name of names) {
    const own = [...alive.values()].filter((score) => score.name === name);
    const values = own.filter(counts).map(({ value }) => Number(value));
    const said = summaries.find(({ metric_name }) => metric_name === name);
    const told: Told = { success: said?.success_count ?? 0, mean: said?.avg_score?.toFixed(6) ?? null };
    const [wanted, found] = [JSON.stringify(toldOf(values)), JSON.stringify(told)];
    broken.expect(wanted === found, `I19: the statistics of ${name} say ${found} where the scores say ${wanted}`);
  }
  for (const incarnation of lives) {
    const life = { project, target: "trace", id: trace.trace_id, incarnation } as const;
    const [found = []] = await newestScores(database).of([life]);
    const there = incarnation === lives.at(-1) ? [...alive.values()] : [];
    for (const name of names) {
      const wanted = newestOf(there.filter((score) => score.name === name));
      const told = found.find((each) => each.name === name);
      const said = [told?.score?.id, told?.score?.value, told?.failure?.id].map((each) => each ?? null).join(" ");
      broken.expect(said === wanted, `I19: the newest score of ${name} is said to be ${said}, and is ${wanted}`);
    }
  }
  broken.expect(
    // What one shard has counted another may take away.
    [...Map.groupBy(parts, ({ hour, name }) => `${hour} ${name}`).values()].every(
      (own) => addStatistics(own.map(({ statistics }) => statistics)).success >= 0,
    ),
    "I19: an hour has fewer scores than none",
  );
  return { seed, violations: broken.found, tally };
};
