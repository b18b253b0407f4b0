import { randomUUID } from "node:crypto";
import type { Database } from "../../../lib/dynamo/database.ts";
import { drive, differencesAtRest } from "../../model/drive.ts";
import { someOperation, type Shares } from "../../model/generator/operations.ts";
import { somePools } from "../../model/generator/pools.ts";
import { modelProject, type ModelProject } from "../../model/project.ts";
import { checksOf } from "../../model/world.ts";
import { seeded } from "../../support/random.ts";
import type { Tally } from "../../support/faults/seeded-faults.ts";
import type { TableStream } from "../../support/database/table-stream.ts";
import { aggregateWorld, type AggregateWorld } from "./world.ts";
import { violations, type Violations } from "../violations.ts";
import { storm } from "../weather.ts";

/** Result of a schedule of trace changes and stream deliveries. */
export interface AggregateReport {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly tally: Tally;
}

const shares: Shares = {
  ingest: 45,
  "append-spans": 14,
  "patch-trace": 10,
  "patch-span": 6,
  "change-tags": 4,
  "delete-trace": 6,
  "delete-traces": 3,
  "delete-session": 3,
};

/** Maximum number of sweeps until no stale hour is left. */
const maxSweeps = 8;

/** Maximum number of deliveries until the stream has ended, without faults. */
const maxDeliveries = 5_000;

/** Delivers the remaining records of the stream. @throws Error when the stream does not end. */
export const drain = async (world: AggregateWorld): Promise<void> => {
  for (let delivery = 0; delivery < maxDeliveries; delivery += 1) {
    if (!(await world.deliver())) return;
    world.pass(200);
  }
  throw new Error("The stream's workers do not get to its end.");
};

/**
 * Compares lists and aggregates with the model twice: with stale hours waiting and after the sweeper has computed them.
 */
export const compareEverything = async (
  world: AggregateWorld,
  invariants: Violations,
  model: ModelProject,
  questions: () => Parameters<typeof checksOf>,
): Promise<void> => {
  const compare = async (when: string): Promise<void> => {
    for (const violation of await differencesAtRest(checksOf(...questions()), 0))
      invariants.expect(false, `${when}: ${violation}`);
    const [total, expected] = [await world.total(), model.traces.length];
    invariants.expect(total === expected, `${when}: the counters say ${total} where the model has ${expected} traces`);
  };
  await compare("after the stream");
  let [waiting, sweeps] = [1, 0];
  for (; waiting > 0 && sweeps < maxSweeps; sweeps += 1) {
    world.pass(60_000);
    waiting = await world.sweep();
  }
  invariants.expect(waiting === 0, "hours wait to be computed and never are");
  await compare("after the sweeper");
};

/**
 * Changes a project's traces from several clients through processes that fail and crash, while stream workers that fail
 * and crash follow. Afterwards every list and aggregate must match the model of the acknowledged changes.
 * @param rows the stream of the rows table, read by this schedule alone.
 */
export const runAggregates = async (database: Database, rows: TableStream, seed: number): Promise<AggregateReport> => {
  const random = seeded(seed);
  const [invariants, tally]: [Violations, Tally] = [violations(), new Map()];
  // A lagging index would hide traces from the deletion of their session; another campaign covers that.
  const weather = storm(random.fork("weather"));
  const { "stale-index": _, ...rates } = weather.database;
  const world = aggregateWorld(
    database,
    rows,
    randomUUID(),
    random.fork("world"),
    { ...weather, database: rates },
    tally,
  );
  const pools = somePools(random.fork("pools"), random.between(2, 8));
  const [model, order] = [modelProject(), random.fork("operations")];
  const spansOf = (trace: string): readonly string[] => [...(model.trace(trace)?.spans.keys() ?? [])];

  const finished = new AbortController();
  const follow = async (): Promise<void> => {
    const chance = random.fork("follow");
    while (!finished.signal.aborted) {
      // The sweeper and the stream workers run at the same time.
      await Promise.all([world.deliver(), chance.chance(0.3) && world.sweep()]);
      world.pass(chance.pick([1, 50, 500, 3_000]));
    }
  };
  const changes = async (): Promise<void> => {
    const findings = await drive(world.change, model, random.between(10, 40), () => {
      // The deletion of a session does not affect traces that arrive later by the clock.
      world.pass(1);
      return someOperation(order, pools, shares, spansOf);
    });
    // A deletion acknowledged at the second attempt finds nothing to delete.
    const ofReads = findings.filter(({ operation }) => !operation.kind.startsWith("delete"));
    for (const line of ofReads.flatMap(({ differences }) => differences)) invariants.expect(false, line);
    finished.abort();
  };
  await Promise.all([changes(), follow()]);

  world.calm();
  await drain(world);
  const questions = random.fork("questions");
  await compareEverything(world, invariants, model, () => [{ call: world.read, model, pools, random: questions }, 6]);
  return { seed, violations: invariants.messages, tally };
};
