import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { awaitAll, semaphore } from "../../../lib/async/concurrency.ts";
import { newPairBits } from "../../../lib/domain/runs/pair-bits.ts";
import { chargedOf, noUsage, recordedCost, withForfeit } from "../../../lib/domain/runs/run.ts";
import { batchGet } from "../../../lib/dynamo/batches.ts";
import { sliceBudget } from "../../../lib/evaluation/slices/slice-budget.ts";
import { budgetName, budgetSums, shardKeys } from "../../../lib/store/spend/items.ts";
import { spendStore } from "../../../lib/store/spend/spend.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { seededFaults } from "../../support/faults/seeded-faults.ts";
import { seeded, type Random } from "../../support/random.ts";
import { freshSeed } from "../../support/vitest/fresh-seed.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

/** Deaths of workers; `npm run ceilings` has a thousand. */
const deathCount = 5 * Number(process.env["CEILINGS"] ?? 8);

/** Loss of whole micro-dollars in a schedule's ledgers, US dollars. */
const rounding = 1e-4;

const order = { metrics: ["m"], targetType: "TRACE", judge: undefined, resolvedModel: "scripted/judge" } as const;

/**
 * Judges slices of one run under a ceiling until nothing is left to do or to spend. Workers die, or lose their lease and go on beside
 * their successor. `billed` has every call that was sent.
 */
const schedule = async (random: Random) => {
  const [projectId, id, at] = [randomUUID(), randomUUID(), Date.now()];
  const now = (): number => at;
  const [pairs, maxConcurrent] = [random.pick([6, 25, 50]), random.pick([1, 5, 20])];
  const bound = 0.01 + random.next();
  const maxCostUsd = bound * random.pick([3, 20, 200]);
  const dearness = random.pick([0.1, 0.9, 1]);
  const slices = Array.from({ length: random.between(1, 3) }, (_, number) => ({
    id: `a#${number}`,
    epoch: 0,
    usage: noUsage,
    settled: 0,
    isOver: false,
    /** US dollars that each epoch's worker spent and did not commit. */
    untold: [0],
    takeOvers: [{ epoch: 0, forfeit: 0 }],
  }));
  let [billed, deaths] = [0, 0];
  const deliveries: Promise<void>[] = [];
  const start = (slice: (typeof slices)[number]): void => void deliveries.push(deliver(slice).catch(() => undefined));

  const deliver = async (slice: (typeof slices)[number]): Promise<void> => {
    const epoch = (slice.epoch += 1);
    const connection = faultyDatabase(
      database,
      seededFaults(random, { "crash-before": 0.01, "crash-after": 0.01 }, new Map()),
    );
    const isAlive = (): boolean => !connection.crashed;
    const hasLease = (): boolean => isAlive() && slice.epoch === epoch;
    const lifetime = random.below(2 * (pairs - slice.settled));
    const isDeath = random.chance(0.8);
    let calls = 0;
    let leased = slice.usage;
    const open = Array.from({ length: pairs - slice.settled }, (_, index) => `t${index}`);
    const bits = newPairBits(
      Array.from(open, () => null),
      1,
    );
    const stored = { id: slice.id, targets: open, traces: [], bits, usage: slice.usage };
    const budget = await sliceBudget(
      {
        spend: spendStore(connection, now, random.next),
        priceOf: () => null,
        ceilings: { project: maxCostUsd * 2, organization: null, deployment: null },
        organizationOf: async () => null,
      },
      { ...order, id, projectId, maxCostUsd },
      { epoch, waits: 0, isAbandoned: true, slice: stored },
      { maxConcurrent, canStart: isAlive, committed: () => leased, now },
    );
    slice.takeOvers.push({ epoch, forfeit: budget.forfeit });
    if (hasLease()) leased = slice.usage = withForfeit(slice.usage, budget.forfeit);
    const judge = async (): Promise<void> => {
      const size = bound * (0.5 + random.next() / 2);
      const reservation = await budget.judgeBudget.reserve({ max: 2 * size, likely: 2 * size, min: size });
      if (reservation === null) return;
      let spent = 0;
      try {
        for (let tries = random.chance(0.4) ? 2 : 1; tries > 0 && reservation.remaining() >= size; tries -= 1) {
          const end = await reservation.begin(size);
          const cost = size * (random.chance(0.7) ? dearness : dearness * random.next());
          billed += cost;
          slice.untold[epoch] = (slice.untold[epoch] ?? 0) + cost;
          calls += 1;
          if (calls === lifetime) {
            deaths += 1;
            if (isDeath) connection.crash();
            else start(slice);
          }
          for (let waits = random.below(8); waits > 0; waits -= 1) await new Promise(setImmediate);
          end(cost);
          spent += cost;
        }
      } finally {
        reservation.close();
      }
      for (let waits = random.below(50); waits > 0; waits -= 1) await new Promise(setImmediate);
      if (!hasLease()) return;
      leased = { ...leased, cost: (leased.cost ?? 0) + spent, charged: chargedOf(leased) + spent };
      slice.usage = leased;
      slice.untold[epoch] = (slice.untold[epoch] ?? 0) - spent;
      slice.settled += 1;
    };
    const slots = semaphore(maxConcurrent);
    await awaitAll(open.map(() => slots(judge)));
    await budget.close(leased);
    if (!hasLease()) return;
    slice.isOver = budget.shortage()?.kind === "end" || slice.settled === pairs;
  };

  for (let round = 0; round < 20 && slices.some(({ isOver }) => !isOver); round += 1) {
    for (const slice of slices) if (!slice.isOver) start(slice);
    while (deliveries.length > 0) await Promise.all(deliveries.splice(0));
  }
  const spend = spendStore(database, now);
  let unforfeited = 0;
  for (const slice of slices) {
    const last = { project: projectId, run: id, slice: slice.id, epoch: slice.epoch + 1 };
    const forfeit = await spend.takeOver(last, recordedCost(slice.usage));
    slice.usage = withForfeit(slice.usage, forfeit);
    const takeOvers = [...slice.takeOvers, { epoch: last.epoch, forfeit }];
    for (const [index, before] of takeOvers.slice(0, -1).entries()) {
      const after = takeOvers[index + 1] ?? before;
      const untold = slice.untold.slice(before.epoch, after.epoch).reduce((sum, usd) => sum + usd, 0);
      unforfeited = Math.max(unforfeited, untold - (after.forfeit - before.forfeit));
    }
  }
  const keys = shardKeys(budgetName("run", { project: projectId, run: id }, at));
  const { used } = budgetSums(await batchGet(database, "spend", keys));
  const charges = slices.reduce((sum, { usage }) => sum + chargedOf(usage), 0);
  return { deaths, billed, unforfeited, charges, used: used / 1e6, ceiling: maxCostUsd };
};

test("whatever dies, calls never cost more than the ceiling, nor more than committed costs and forfeits tell", async () => {
  const seed = freshSeed();
  let deaths = 0;
  for (let number = 0; deaths < deathCount; number += 1) {
    const { deaths: dead, billed, unforfeited, charges, used, ceiling } = await schedule(seeded(seed).fork(number));
    expect({
      place: `seed ${seed}, schedule ${number}`,
      isExceeded: used > ceiling || billed > used + rounding,
      isForfeitTooSmall: unforfeited > rounding,
      isCharged: Math.abs(used - charges) <= rounding,
    }).toMatchObject({ isExceeded: false, isForfeitTooSmall: false, isCharged: true });
    deaths += dead;
  }
});
