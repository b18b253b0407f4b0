import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { microsUp } from "../../../lib/domain/runs/spend.ts";
import { batchGet } from "../../../lib/store/batch-get.ts";
import { budgetName, shardKeys, usedOf } from "../../../lib/store/spend/items.ts";
import type { SliceDelivery } from "../../../lib/store/spend/moves.ts";
import { spendStore, type Spend } from "../../../lib/store/spend/spend.ts";
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

/** A slice as its own item remembers it: what it cost is added up with what it judged, never lost and never twice. */
interface Slice extends SliceDelivery {
  epoch: number;
  cost: number;
}

/** One schedule: workers take slices, reserve, spend and settle, and die at any request. */
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
    return usedOf(budget, await batchGet(database, "spend", shardKeys(budget))).reduce((sum, each) => sum + each, 0);
  };
  const worker = (label: string): Spend => {
    const own = random.fork(label);
    return spendStore(
      faultyDatabase(database, seededFaults(own, rates, tally)),
      () => at,
      () => own.next() * 0.1,
    );
  };

  const deliver = async (slice: Slice, round: number): Promise<void> => {
    const own = random.fork(`${slice.slice} ${round}`);
    const spend = worker(`worker ${slice.slice} ${round}`);
    slice.epoch += 1;
    const delivery: SliceDelivery = { ...slice };
    try {
      const reserved = await spend.reserve({ ...delivery, spent: slice.cost, want: 0.2, least: 0.01, ceilings });
      if (reserved.kind !== "granted") return;
      // A later worker may have the slice by now: then nothing of this one is committed.
      if (slice.epoch === delivery.epoch) slice.cost += reserved.usd * own.next();
      await spend.settle(delivery, slice.cost);
    } catch {
      // The process died, or DynamoDB was away: the slice is delivered again.
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
  return { peaks, left: [await used("run"), await used("project")], spent };
};

test("whoever dies when, no ceiling is passed, and in the end exactly what was spent is booked", async () => {
  const [seed, tally]: [number, Tally] = [freshSeed(), new Map()];

  for (let number = 0; number < 4; number += 1) {
    const { peaks, left, spent } = await schedule(seeded(seed).fork(number), tally);
    const place = `seed ${seed}, schedule ${number}`;
    expect({ place, passed: peaks.filter((peak) => peak > 1), left }).toEqual({
      place,
      passed: [],
      left: [spent, spent],
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
