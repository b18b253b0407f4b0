import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { microsUp } from "../../../lib/domain/runs/budget.ts";
import { batchGet } from "../../../lib/dynamo/batches.ts";
import { budgetName, shardKeys, usedByShard } from "../../../lib/store/spend/items.ts";
import type { SliceDelivery } from "../../../lib/store/spend/ledger.ts";
import { spendStore, type SpendStore } from "../../../lib/store/spend/spend.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { freshSeed } from "../../support/vitest/fresh-seed.ts";
import { seeded, type Random } from "../../support/random.ts";
import { seededFaults, type Tally } from "../../support/faults/seeded-faults.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const at = Date.UTC(2026, 10, 21);
const ceilings = { run: 1, project: 1.4, organization: null, deployment: null };
const rates = {
  throttle: 0.04,
  "throttled-item": 0.1,
  "partial-get": 0.2,
  "server-error": 0.03,
  conflict: 0.1,
  "timeout-before": 0.04,
  "timeout-after": 0.08,
  "crash-before": 0.05,
  "crash-after": 0.05,
};

/** A slice with its committed cost, which must be neither lost nor counted twice. */
interface Slice extends SliceDelivery {
  epoch: number;
  cost: number;
}

/** Runs a schedule in which workers take slices, reserve, spend and settle, and crash at any request. */
const schedule = async (random: Random, tally: Tally) => {
  const [project, run] = [randomUUID(), randomUUID()];
  const slices: Slice[] = Array.from({ length: 6 }, (_, number) => ({
    project,
    run,
    slice: `a#${number}`,
    epoch: 0,
    cost: 0,
  }));
  const used = async (kind: "run" | "project"): Promise<number> => {
    const budget = budgetName(kind, { project, run, organization: "organization" }, at);
    return usedByShard(budget, await batchGet(database, "spend", shardKeys(budget))).reduce(
      (sum, each) => sum + each,
      0,
    );
  };
  const worker = (label: string): SpendStore => {
    const chance = random.fork(label);
    return spendStore(
      faultyDatabase(database, seededFaults(chance, rates, tally)),
      () => at,
      () => chance.next() * 0.1,
    );
  };

  const deliver = async (slice: Slice, round: number): Promise<void> => {
    const chance = random.fork(`${slice.slice} ${round}`);
    const spend = worker(`worker ${slice.slice} ${round}`);
    slice.epoch += 1;
    const delivery: SliceDelivery = { ...slice };
    try {
      const reserved = await spend.reserve({ ...delivery, spent: slice.cost, maxUsd: 0.2, minUsd: 0.01, ceilings });
      if (reserved.kind !== "granted") return;
      // If a later worker has taken the slice, nothing of this worker is committed.
      if (slice.epoch === delivery.epoch) slice.cost += reserved.usd * chance.next();
      await spend.settle(delivery, slice.cost);
    } catch {
      // The process crashed or DynamoDB was unavailable, so the slice is delivered again.
    }
  };

  const peaks: number[] = [];
  for (let round = 0; round < 4; round += 1) {
    const twice = slices.filter(() => random.chance(0.3));
    await Promise.all([...slices, ...twice].map((slice, index) => deliver(slice, round * 100 + index)));
    peaks.push((await used("run")) / 1e6, (await used("project")) / 1.4e6);
  }
  const steady = spendStore(database, () => at);
  for (const slice of slices) await steady.settle(slice, slice.cost);
  const spent = slices.filter(({ cost }) => cost > 0).reduce((sum, { cost }) => sum + microsUp(cost), 0);
  return { peaks, booked: [await used("run"), await used("project")], spent };
};

test("no ceiling is exceeded and exactly the spent amount is booked, whichever worker crashes", async () => {
  const [seed, tally]: [number, Tally] = [freshSeed(), new Map()];

  for (let number = 0; number < 4; number += 1) {
    const { peaks, booked, spent } = await schedule(seeded(seed).fork(number), tally);
    const place = `seed ${seed}, schedule ${number}`;
    expect({ place, passed: peaks.filter((peak) => peak > 1), booked }).toEqual({
      place,
      passed: [],
      booked: [spent, spent],
    });
  }

  expect([...tally.keys()]).toEqual(
    expect.arrayContaining([
      "timeout-after TransactWriteItems",
      "throttled-item TransactWriteItems",
      "partial-get BatchGetItem (answer)",
    ]),
  );
});
