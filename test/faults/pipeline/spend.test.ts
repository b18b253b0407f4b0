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
const ceilings = { run: 2, project: 2.8, organization: null, deployment: null };
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

/** A slice with its committed cost and what its judge billed, US dollars; neither may be lost or counted twice. */
interface Slice extends SliceDelivery {
  epoch: number;
  cost: number;
  billed: number;
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
    billed: 0,
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
      const earlierCost = slice.cost;
      if (delivery.epoch > 1) await spend.takeOver(delivery, earlierCost);
      const reserved = await spend.reserve({ ...delivery, spent: earlierCost, maxUsd: 0.2, minUsd: 0.01, ceilings });
      if (reserved.kind !== "granted") return;
      const answer = reserved.usd * chance.next();
      slice.billed += answer;
      // If a later worker has taken the slice, or the worker is killed, nothing of this worker is committed.
      if (chance.chance(0.1)) return;
      if (slice.epoch === delivery.epoch) slice.cost += answer;
      await spend.settle(delivery, earlierCost + answer);
    } catch {
      // The process crashed or DynamoDB was unavailable, so the slice is delivered again.
    }
  };

  const peaks: number[] = [];
  for (let round = 0; round < 4; round += 1) {
    const twice = slices.filter(() => random.chance(0.3));
    await Promise.all([...slices, ...twice].map((slice, index) => deliver(slice, round * 100 + index)));
    peaks.push((await used("run")) / (ceilings.run * 1e6), (await used("project")) / (ceilings.project * 1e6));
  }
  const steady = spendStore(database, () => at);
  let [spent, forfeit] = [0, 0];
  for (const slice of slices) {
    const last = { ...slice, epoch: slice.epoch + 1 };
    forfeit += microsUp(await steady.takeOver(last, slice.cost));
    await steady.settle(last, slice.cost);
    spent += microsUp(slice.cost);
  }
  const billed = slices.reduce((sum, slice) => sum + slice.billed, 0) * 1e6;
  const booked = [await used("run"), await used("project")];
  return { peaks, booked, spent: spent + forfeit, forfeit, unbooked: booked.filter((amount) => amount < billed) };
};

test("no ceiling is exceeded, and exactly what workers committed and what dead ones had reserved is booked", async () => {
  const [seed, tally]: [number, Tally] = [freshSeed(), new Map()];

  let forfeits = 0;
  for (let number = 0; number < 4; number += 1) {
    const { peaks, booked, spent, forfeit, unbooked } = await schedule(seeded(seed).fork(number), tally);
    const place = `seed ${seed}, schedule ${number}`;
    expect({ place, passed: peaks.filter((peak) => peak > 1), booked, unbooked }).toEqual({
      place,
      passed: [],
      booked: [spent, spent],
      unbooked: [],
    });
    forfeits += forfeit;
  }
  expect(forfeits).toBeGreaterThan(0);

  expect([...tally.keys()]).toEqual(
    expect.arrayContaining([
      "timeout-after TransactWriteItems",
      "throttled-item TransactWriteItems",
      "partial-get BatchGetItem (answer)",
    ]),
  );
});
