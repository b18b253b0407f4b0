import { randomUUID } from "node:crypto";
import type { Database } from "../../../lib/store/database.ts";
import { drive, settled } from "../../model/drive.ts";
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

/** What came of a schedule of changes and deliveries of the stream. */
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

/** Sweeps after which no hour may wait any more. */
const mostSweeps = 8;

/** Deliveries after which a stream has ended, when nothing fails any more. */
const mostDeliveries = 5_000;

/** Delivers what is left of the stream. @throws when it does not end. */
export const drain = async (world: AggregateWorld): Promise<void> => {
  for (let delivery = 0; delivery < mostDeliveries; delivery += 1) {
    if (!(await world.deliver())) return;
    world.pass(200);
  }
  throw new Error("The stream's workers do not get to its end.");
};

/** Looks at everything, once with hours that wait to be computed and once when all have been. */
export const lookAtAll = async (
  world: AggregateWorld,
  broken: Violations,
  model: ModelProject,
  questions: () => Parameters<typeof checksOf>,
): Promise<void> => {
  const compare = async (when: string): Promise<void> => {
    for (const said of await settled(checksOf(...questions()), 0)) broken.expect(false, `${when}: ${said}`);
    const [total, expected] = [await world.total(), model.traces.length];
    broken.expect(total === expected, `${when}: the counters say ${total} where the model has ${expected} traces`);
  };
  await compare("after the stream");
  let [waiting, sweeps] = [1, 0];
  for (; waiting > 0 && sweeps < mostSweeps; sweeps += 1) {
    world.pass(60_000);
    waiting = await world.sweep();
  }
  broken.expect(waiting === 0, "hours wait to be computed and never are");
  await compare("after the sweeper");
};

/**
 * Several clients change the traces of a project through processes that fail and die, while stream workers that fail and
 * die follow. Afterwards every list and every aggregate has to be what the model makes of the acknowledged changes.
 *
 * @param rows the stream of the table of rows, read by this schedule alone.
 */
export const runAggregates = async (database: Database, rows: TableStream, seed: number): Promise<AggregateReport> => {
  const random = seeded(seed);
  const [broken, tally]: [Violations, Tally] = [violations(), new Map()];
  // An index that lags would hide traces from the deletion of their session: another suite's matter.
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

  const done = new AbortController();
  const follow = async (): Promise<void> => {
    const own = random.fork("follow");
    while (!done.signal.aborted) {
      // The sweeper and the stream's workers meet.
      await Promise.all([world.deliver(), own.chance(0.3) && world.sweep()]);
      world.pass(own.pick([1, 50, 500, 3_000]));
    }
  };
  const changes = async (): Promise<void> => {
    const findings = await drive(world.change, model, random.between(10, 40), () => {
      // The deletion of a session spares what comes later, by the clock.
      world.pass(1);
      return someOperation(order, pools, shares, spansOf);
    });
    // A deletion that was acknowledged at the second attempt finds nothing any more.
    const ofReads = findings.filter(({ operation }) => !operation.kind.startsWith("delete"));
    for (const line of ofReads.flatMap(({ said }) => said)) broken.expect(false, line);
    done.abort();
  };
  await Promise.all([changes(), follow()]);

  world.calm();
  await drain(world);
  const questions = random.fork("questions");
  await lookAtAll(world, broken, model, () => [{ call: world.look, model, pools, random: questions }, 6]);
  return { seed, violations: broken.found, tally };
};
