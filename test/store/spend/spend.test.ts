import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Ceilings } from "../../../lib/domain/runs/budget.ts";
import { closeLedger } from "../../../lib/store/spend/close-ledger.ts";
import { eraseOrganizationSpend } from "../../../lib/store/spend/erase.ts";
import { monthSpend } from "../../../lib/store/spend/month-spend.ts";
import { spendStore, type SliceReservation } from "../../../lib/store/spend/spend.ts";
import { inTurn } from "../../support/in-turn.ts";
import { pauseAt, watchedDatabase } from "../../support/database/watched-database.ts";
import { itemsNaming } from "../../support/database/items-naming.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const none: Ceilings = { run: null, project: null, organization: null, deployment: null };
let months = 0;

/** A project and a run in a month of their own, so that no two tests share a deployment budget. */
const setUp = (at = Date.UTC(2026, ++months, 21)) => {
  const clock = { at };
  const [project, run] = [randomUUID(), randomUUID()];
  const spend = spendStore(database, () => clock.at);
  const order = (fields: Partial<SliceReservation> = {}): SliceReservation => ({
    project,
    run,
    slice: "a#0000",
    epoch: 1,
    spent: 0,
    maxUsd: 0.4,
    minUsd: 0.1,
    ceilings: { ...none, run: 1 },
    ...fields,
  });
  return { clock, spend, order, reserve: (fields?: Partial<SliceReservation>) => spend.reserve(order(fields)) };
};

/** The amount that can still be reserved, US dollars, found by a reservation that is released again. */
const roomIn = async (
  { spend, order }: ReturnType<typeof setUp>,
  fields: Partial<SliceReservation> = {},
): Promise<number> => {
  const probe = order({ ...fields, slice: "probe#0000", epoch: 1, maxUsd: 1e6, minUsd: 0.000001, spent: 0 });
  const reserved = await spend.reserve(probe);
  await spend.settle(probe, 0);
  return reserved.kind === "granted" ? reserved.usd : 0;
};

describe("a reservation", () => {
  test("takes half of what is left near a ceiling, unless two judgements need more", async () => {
    const run = setUp();
    const calls = { judgement: 0.1, uncommitted: 0, ahead: 9 };
    const grants = await inTurn(["a#0000", "a#0001", "a#0002"], (slice) => run.reserve({ slice, maxUsd: 0.7, calls }));

    // The noted calls are the first tries of as many judgements as the reservation is for.
    expect(grants).toEqual([
      { kind: "granted", usd: 0.5, noted: 0.25 },
      { kind: "granted", usd: 0.25, noted: 0.125 },
      { kind: "granted", usd: 0.25, noted: 0.125 },
    ]);
  });

  test("without any ceiling is granted without a database request", async () => {
    const unreachable = { client: database.client, table: () => "no-such-table" };

    expect(await spendStore(unreachable).reserve(setUp().order({ ceilings: none }))).toEqual({
      kind: "granted",
      usd: 0.4,
    });
  });

  test("is granted in full while there is room, then partly, then not at all", async () => {
    const run = setUp();

    expect(await run.reserve({ slice: "a#0000" })).toEqual({ kind: "granted", usd: 0.4 });
    expect(await run.reserve({ slice: "a#0001" })).toEqual({ kind: "granted", usd: 0.4 });
    expect(await run.reserve({ slice: "a#0002" })).toEqual({ kind: "granted", usd: 0.2 });
    expect(await run.reserve({ slice: "a#0003" })).toEqual({
      kind: "wait",
      ceiling: "run",
      message: expect.stringContaining("max_cost_usd of $1.00 does not cover another judgement"),
      canFreeUp: true,
      isTemporary: true,
    });
  });

  test("below the requested minimum waits", async () => {
    const run = setUp();
    await run.reserve({ maxUsd: 0.95 });

    expect(await run.reserve({ slice: "a#0001", minUsd: 0.06 })).toMatchObject({ kind: "wait" });
    expect(await run.reserve({ slice: "a#0001", minUsd: 0.05 })).toEqual({ kind: "granted", usd: 0.05 });
  });

  test("of a delivery that is made twice counts once", async () => {
    const run = setUp();

    const grants = [await run.reserve(), await run.reserve()];

    expect(grants).toEqual([
      { kind: "granted", usd: 0.4 },
      { kind: "granted", usd: 0.4 },
    ]);
    expect(await roomIn(run)).toBeCloseTo(0.6);
  });

  test("of a killed worker counts as spent for the next delivery and for others", async () => {
    const run = setUp();
    await run.reserve({ epoch: 1, maxUsd: 0.7 });

    const next = await run.reserve({ epoch: 2, spent: 0.3, maxUsd: 0.5 });
    await run.spend.settle(run.order({ epoch: 2 }), 0.4);

    expect(next).toEqual({ kind: "granted", usd: 0.3 });
    // 0.4 are spent, and the first worker may have spent 0.4 more than it committed.
    expect(await roomIn(run)).toBeCloseTo(0.2);
  });

  test("is available to others while its worker waits for more", async () => {
    const run = setUp();
    await run.reserve({ epoch: 1, maxUsd: 0.7 });
    await run.reserve({ slice: "a#0001", maxUsd: 0.3 });

    expect(await run.reserve({ epoch: 1, spent: 0.6, maxUsd: 0.4, minUsd: 0.2 })).toMatchObject({ kind: "wait" });
    expect(await run.reserve({ slice: "a#0002", maxUsd: 0.1 })).toEqual({ kind: "granted", usd: 0.1 });
  });

  test("counts against the organization's ceiling together with those of its other projects, and against no other organization's", async () => {
    const at = Date.UTC(2031, 5, 15);
    const [first, second, stranger] = [setUp(at), setUp(at), setUp(at)];
    const organizationRequest = { organization: randomUUID(), ceilings: { ...none, organization: 1 }, maxUsd: 0.6 };

    const replies = [
      await first.reserve(organizationRequest),
      await second.reserve(organizationRequest),
      await second.reserve({ ...organizationRequest, slice: "a#0001" }),
    ];

    expect(replies).toEqual([
      { kind: "granted", usd: 0.6 },
      { kind: "granted", usd: 0.4 },
      {
        kind: "wait",
        ceiling: "organization",
        message:
          "What is left of the organization's ceiling of $1.00 for judging in June 2031 is set aside for judgements in progress.",
        canFreeUp: true,
        isTemporary: true,
      },
    ]);
    expect(await stranger.reserve({ ...organizationRequest, organization: randomUUID() })).toEqual({
      kind: "granted",
      usd: 0.6,
    });
    // A deleted project has no organization.
    expect(await stranger.reserve({ ...organizationRequest, organization: null })).toEqual({
      kind: "granted",
      usd: 0.6,
    });
  });

  test("under an organization's ceiling is erased with the organization", async () => {
    const run = setUp(Date.UTC(2032, 1, 10));
    const organization = randomUUID();
    await run.reserve({ organization, ceilings: { ...none, organization: 1 } });
    const before = await itemsNaming(database, [organization]);

    for await (const _ of eraseOrganizationSpend(database, () => Date.UTC(2032, 11, 24))(organization));

    // The slice's own ledger entry is erased with its project.
    expect(before.length).toBeGreaterThan(1);
    expect((await itemsNaming(database, [organization])).map(({ item }) => item["sk"])).toEqual(["slice#a#0000"]);
  });

  test("of a worker that was overtaken is refused and changes nothing", async () => {
    const run = setUp();
    await run.reserve({ epoch: 2 });

    expect(await run.reserve({ epoch: 1, maxUsd: 0.1 })).toEqual({ kind: "superseded" });
    expect(await roomIn(run)).toBeCloseTo(0.6);
  });

  test("at a run's limit cannot be granted later if no other slice holds a reservation", async () => {
    const run = setUp();
    await run.reserve({ slice: "a#0001", maxUsd: 1 });
    await run.spend.settle(run.order({ slice: "a#0001" }), 1);

    expect(await run.reserve()).toMatchObject({ kind: "wait", ceiling: "run", canFreeUp: false });
  });
});

describe("settlement of a reservation", () => {
  test("releases the unspent amount", async () => {
    const run = setUp();
    await run.reserve({ maxUsd: 0.9 });

    await run.spend.settle(run.order(), 0.25);

    expect(await roomIn(run)).toBeCloseTo(0.75);
  });

  test("counts spending beyond the reservation", async () => {
    const run = setUp();
    await run.reserve({ maxUsd: 0.5 });

    await run.spend.settle(run.order(), 0.9);

    expect(await roomIn(run)).toBeCloseTo(0.1);
    await run.spend.settle(run.order(), 1.2);
    expect(await run.reserve({ slice: "a#0001", minUsd: 0.000001 })).toMatchObject({ kind: "wait" });
  });

  test("changes nothing if it is repeated or by a worker that was overtaken", async () => {
    const run = setUp();
    await run.reserve({ epoch: 2, maxUsd: 0.5 });
    await run.spend.settle(run.order({ epoch: 2 }), 0.3);

    await run.spend.settle(run.order({ epoch: 2 }), 0.3);
    await run.spend.settle(run.order({ epoch: 1 }), 0.1);

    expect(await roomIn(run)).toBeCloseTo(0.7);
  });

  test("changes nothing without a reservation", async () => {
    const run = setUp();

    await run.spend.settle(run.order(), 0.5);

    expect(await roomIn(run)).toBe(1);
  });

  test("of an ended run releases the reservations of finished slices, and counts those of others as spent", async () => {
    const run = setUp();
    await run.reserve({ slice: "a#0000", epoch: 3, maxUsd: 0.5, spent: 0.1 });
    await run.reserve({ slice: "a#0001", maxUsd: 0.4 });
    // The worker of the finished slice died before it recorded the cost of its last commit.
    const costs = async () => new Map([["a#0000", 0.35]]);

    for (const _ of ["once", "twice"]) await run.spend.endReservations(run.order().project, run.order().run, costs);

    expect(await roomIn(run)).toBeCloseTo(0.35);
  });
});

describe("a slice that a later worker takes over", () => {
  test("is not changed by an earlier worker that has read it before", async () => {
    const run = setUp();
    await run.reserve({ epoch: 1, maxUsd: 0.4 });
    const gate = pauseAt(({ operation }) => operation === "TransactWriteItems");
    const earlier = spendStore(watchedDatabase(database, gate.decide), () => run.clock.at);
    const reservation = earlier.reserve(run.order({ epoch: 1, spent: 0.1, maxUsd: 0.8 }));
    await gate.reached;
    const forfeited = await run.spend.takeOver(run.order({ epoch: 2 }), 0.1);
    gate.open();

    expect([await reservation, forfeited]).toEqual([{ kind: "superseded" }, 0.3]);
    expect(await roomIn(run)).toBeCloseTo(0.6);
  });

  test("forfeits what was reserved and not settled, once for each worker that died", async () => {
    const run = setUp();
    const takeOver = (epoch: number, spent: number) => run.spend.takeOver(run.order({ epoch }), spent);
    await run.reserve({ epoch: 1, maxUsd: 0.5 });
    const forfeits = [await takeOver(2, 0.2), await takeOver(2, 0.2), await takeOver(3, 0.2)];
    await run.reserve({ epoch: 3, spent: 0.25, maxUsd: 0.1 });
    forfeits.push(await takeOver(4, 0.25));
    await run.spend.settle(run.order({ epoch: 4 }), 0.25);

    // 0.3 of the first worker, and 0.1 of the third.
    expect(forfeits.map((usd) => usd.toFixed(2))).toEqual(["0.30", "0.30", "0.30", "0.40"]);
    expect(await roomIn(run)).toBeCloseTo(1 - 0.25 - 0.4);
  });

  test("forfeits of a reservation the calls that its worker noted, which notes nothing more afterwards", async () => {
    const run = setUp();
    const calls = { judgement: 0.1, uncommitted: 0.05, ahead: 0.1 };
    const note = (epoch: number, usd: number, noted: number) => run.spend.noteCalls(run.order({ epoch }), usd, noted);
    const reserved = await run.reserve({ epoch: 1, maxUsd: 0.4, calls });
    // The same write again, as after a lost reply, and one that was delayed until others were made.
    const isNoted = [await note(1, 0.2, 0.15), await note(1, 0.2, 0.15), await note(1, 0.18, 0.15)];
    const forfeits = [await run.spend.takeOver(run.order({ epoch: 2 }), 0), await note(1, 0.3, 0.2)];
    await run.reserve({ epoch: 2, maxUsd: 0.4, calls });
    forfeits.push(await note(1, 0.3, 0.15), await run.spend.takeOver(run.order({ epoch: 3 }), 0));

    expect(reserved).toEqual({ kind: "granted", usd: 0.4, noted: 0.15 });
    expect(isNoted).toEqual([true, true, false]);
    expect(forfeits).toEqual([0.2, false, false, 0.35]);
    expect(await roomIn(run)).toBeCloseTo(0.65);
  });

  test("can note no calls of a reservation that has ended with its run", async () => {
    const run = setUp();
    const { project, run: id } = run.order();
    await run.reserve({ maxUsd: 0.4, calls: { judgement: 0.1, uncommitted: 0, ahead: 0.1 } });
    await run.spend.endReservations(project, id, async () => new Map());

    expect(await run.spend.noteCalls(run.order(), 0.3, 0.1)).toBe(false);
    expect(await roomIn(run)).toBeCloseTo(0.9);
  });

  test("forfeits what a worker spent and could not commit", async () => {
    const run = setUp();
    await run.reserve({ epoch: 1, maxUsd: 0.5 });
    await run.spend.settle(run.order({ epoch: 1 }), 0.3);

    expect(await run.spend.takeOver(run.order({ epoch: 2 }), 0.1)).toBeCloseTo(0.2);
    expect(await roomIn(run)).toBeCloseTo(0.7);
  });

  test("forfeits the calls that a worker without a ceiling recorded last, unless it ended its lease", async () => {
    const run = setUp();
    const record = (epoch: number, calls: number) => run.spend.recordCalls(run.order({ epoch }), 0.1, calls);
    const takeOver = (epoch: number, isAbandoned?: boolean) =>
      run.spend.takeOver(run.order({ epoch }), 0.1, isAbandoned);
    const isRecorded = [await record(1, 0.3), await record(1, 0.7), await record(2, 0.2)];
    const ended = await takeOver(3, false);
    isRecorded.push(await record(3, 0.4), await record(2, 9));

    const forfeits = [ended, await takeOver(4), await takeOver(4), await takeOver(5)];
    await record(5, 0.1);
    expect([...forfeits, await takeOver(6)]).toEqual([0, 0.4, 0.4, 0.4, 0.5]);
    // A later worker has the slice.
    expect(isRecorded).toEqual([true, true, true, true, false]);
    expect(await roomIn(run)).toBe(1);
  });

  test("of a slice whose ceiling was removed keeps its reservation beside recorded calls, until it is settled", async () => {
    const run = setUp();
    await run.reserve({ maxUsd: 0.5 });
    await run.spend.recordCalls(run.order(), 0, 0.2);
    const reserved = await roomIn(run);
    await run.spend.settle(run.order(), 0.1);

    expect([reserved, await roomIn(run)]).toEqual([0.5, 0.9]);
  });

  test("forfeits nothing that was settled, and grants its earlier worker nothing more", async () => {
    const run = setUp();

    expect(await run.spend.takeOver(run.order({ epoch: 2 }), 0)).toBe(0);
    expect(await run.reserve({ epoch: 1 })).toEqual({ kind: "superseded" });
    expect(await roomIn(run)).toBe(1);
  });

  test("forfeits in the month in which its worker died", async () => {
    const run = setUp(Date.UTC(2042, 0, 31, 23));
    const ceilings = { ...none, project: 1 };
    await run.reserve({ ceilings, maxUsd: 0.9 });
    run.clock.at = Date.UTC(2042, 1, 1);

    expect(await run.spend.takeOver(run.order({ epoch: 2 }), 0.2)).toBeCloseTo(0.7);
    expect(await run.reserve({ ceilings, epoch: 2, spent: 0.2, maxUsd: 0.9 })).toEqual({ kind: "granted", usd: 0.9 });
    await run.spend.settle(run.order({ epoch: 2 }), 0.3);
    expect(await roomIn(run, { ceilings })).toBeCloseTo(0.9);
    run.clock.at = Date.UTC(2042, 0, 31, 23);
    expect(await roomIn(run, { ceilings })).toBeCloseTo(0.1);
  });
});

describe("monthly ceilings", () => {
  const monthly: Ceilings = { run: null, project: 1, organization: null, deployment: 1.5 };

  test("apply to all runs of a project and to all projects, and the narrowest one is reported first", async () => {
    const [first, second] = [setUp(), setUp()];
    second.clock.at = first.clock.at;

    expect(await first.reserve({ ceilings: monthly, maxUsd: 0.9 })).toMatchObject({ kind: "granted" });
    expect(await first.reserve({ ceilings: monthly, run: randomUUID(), maxUsd: 0.9, minUsd: 0.2 })).toMatchObject({
      kind: "wait",
      ceiling: "project",
      canFreeUp: true,
    });
    expect(await second.reserve({ ceilings: monthly, maxUsd: 0.9 })).toMatchObject({ kind: "granted", usd: 0.6 });
    expect(await second.reserve({ ceilings: monthly, slice: "a#0001" })).toMatchObject({
      kind: "wait",
      ceiling: "deployment",
      message: expect.stringContaining("the deployment's ceiling of $1.50"),
    });
  });

  test("start again with the month, and later spending counts in the new month only", async () => {
    const run = setUp(Date.UTC(2041, 0, 31, 23));
    await run.reserve({ ceilings: monthly, maxUsd: 0.9 });
    await run.spend.settle(run.order(), 0.7);
    run.clock.at = Date.UTC(2041, 1, 1);

    expect(await run.reserve({ ceilings: monthly, epoch: 2, spent: 0.7, maxUsd: 0.9 })).toEqual({
      kind: "granted",
      usd: 0.9,
    });
    await run.spend.settle(run.order({ epoch: 2 }), 0.8);

    expect(await roomIn(run, { ceilings: { ...none, project: 1 } })).toBeCloseTo(0.9);
    run.clock.at = Date.UTC(2041, 0, 31, 23);
    expect(await roomIn(run, { ceilings: { ...none, project: 1 } })).toBeCloseTo(0.3);
  });

  test("refuse reservations after they are lowered below their usage, and grant them after they are raised", async () => {
    const run = setUp();
    await run.reserve({ ceilings: { ...none, project: 10 }, maxUsd: 6 });

    expect(await run.reserve({ ceilings: { ...none, project: 5 }, slice: "a#0001" })).toMatchObject({ kind: "wait" });
    expect(await run.reserve({ ceilings: { ...none, project: 7 }, slice: "a#0001" })).toEqual({
      kind: "granted",
      usd: 0.4,
    });
  });
});

describe("the reported spending of a month", () => {
  const ceilings = { project: 1, organization: 4, deployment: null };
  const organization = randomUUID();
  /** Reads the spending of the project and its organization in the month of the clock. */
  const readMonth = async ({ clock, order }: ReturnType<typeof setUp>) => {
    const month = monthSpend(database, ceilings, () => clock.at);
    return (await month({ project: order().project, organization })).budgets;
  };
  const budget = (ceiling: number, spent: number, reserved: number) => ({
    ceiling,
    spent,
    reserved,
    remaining: ceiling - spent - reserved,
    percent: Math.floor(((spent + reserved) / ceiling) * 100),
  });
  const monthlyRequest = { organization, ceilings: { ...none, ...ceilings } };

  test("has the spent and reserved amounts of each ceiling, through grants, settlement, a worker's death and the end of a run", async () => {
    const run = setUp(Date.UTC(2033, 3, 5));
    expect(await readMonth(run)).toEqual({ project: budget(1, 0, 0), organization: budget(4, 0, 0), deployment: null });

    await run.reserve({ ...monthlyRequest, maxUsd: 0.5 });
    expect(await readMonth(run)).toMatchObject({ project: budget(1, 0, 0.5), organization: budget(4, 0, 0.5) });
    // The same total is reserved as before, and a part of it is spent.
    await run.reserve({ ...monthlyRequest, spent: 0.25, maxUsd: 0.25 });
    expect(await readMonth(run)).toMatchObject({ project: budget(1, 0.25, 0.25) });
    await run.reserve({ ...monthlyRequest, slice: "a#0001", maxUsd: 0.125 });
    await run.spend.settle(run.order({ slice: "a#0001" }), 0.0625);
    expect(await readMonth(run)).toMatchObject({
      project: budget(1, 0.3125, 0.25),
      organization: budget(4, 0.3125, 0.25),
    });
    await run.reserve({ ...monthlyRequest, epoch: 2, spent: 0.375, maxUsd: 0.0625 });
    // The first worker died with 0.125 that it had not settled.
    expect(await readMonth(run)).toMatchObject({ project: budget(1, 0.5625, 0.0625) });
    await run.spend.settle(run.order({ epoch: 2 }), 0.4375);
    expect(await readMonth(run)).toMatchObject({ project: budget(1, 0.625, 0) });
    await run.reserve({ ...monthlyRequest, epoch: 3, spent: 0.4375, maxUsd: 0.25 });
    await run.spend.endReservations(run.order().project, run.order().run, async () => new Map());
    expect(await readMonth(run)).toMatchObject({ project: budget(1, 0.875, 0), organization: budget(4, 0.875, 0) });
  });

  test("is that month's only, and last month's reservations are no longer reserved", async () => {
    const run = setUp(Date.UTC(2034, 0, 31));
    await run.reserve({ ...monthlyRequest, maxUsd: 0.5 });
    run.clock.at = Date.UTC(2034, 1, 1);
    await run.reserve({ ...monthlyRequest, epoch: 2, spent: 0.25, maxUsd: 0.25 });

    expect(await readMonth(run)).toMatchObject({ project: budget(1, 0, 0.25) });
    run.clock.at = Date.UTC(2034, 0, 31);
    expect(await readMonth(run)).toMatchObject({ project: budget(1, 0.5, 0) });
  });

  test("has no reservation of a run whose ledger was closed before its settlement", async () => {
    const run = setUp(Date.UTC(2035, 6, 1));
    await run.reserve({ ...monthlyRequest, maxUsd: 0.5 });
    for await (const _ of closeLedger(database, () => run.clock.at)(run.order().project, run.order().run));

    expect(await readMonth(run)).toMatchObject({ organization: budget(4, 0.5, 0) });
  });

  test("counts ledger entries without a counted reservation as spent until they change", async () => {
    const run = setUp(Date.UTC(2036, 6, 1));
    await run.reserve({ ...monthlyRequest, maxUsd: 0.5 });
    for (const { item } of await itemsNaming(database, [run.order().project])) {
      const text = JSON.stringify(item).replaceAll(/,"reserved":\d+|"reserved":\d+,/gu, "");
      expect(text).not.toContain("reserved");
      await database.client.send(new PutCommand({ TableName: database.table("spend"), Item: JSON.parse(text) }));
    }
    expect(await readMonth(run)).toMatchObject({ project: budget(1, 0.5, 0) });

    await run.reserve({ ...monthlyRequest, slice: "a#0001", maxUsd: 0.125 });
    await run.spend.settle(run.order(), 0.25);
    expect(await readMonth(run)).toMatchObject({ project: budget(1, 0.25, 0.125) });
  });
});

describe("many concurrent workers", () => {
  test("never reserve more than the ceiling, and use it up", async () => {
    const run = setUp();

    const results = await Promise.all(
      Array.from({ length: 40 }, (_, slice) => run.reserve({ slice: `a#${slice}`, maxUsd: 0.04, minUsd: 0.01 })),
    );

    const total = results.reduce((sum, reserved) => sum + (reserved.kind === "granted" ? reserved.usd : 0), 0);
    expect(total).toBeCloseTo(1);
    expect(results.filter(({ kind }) => kind === "wait").length).toBe(15);
  });

  test("that reserve and settle leave exactly the spent amount", async () => {
    const run = setUp();
    const ceilings = { run: 5, project: 6, organization: null, deployment: 7 };

    await Promise.all(
      Array.from({ length: 30 }, async (_, number) => {
        const order = run.order({ slice: `a#${number}`, ceilings, maxUsd: 0.15, minUsd: 0.01 });
        await run.spend.reserve(order);
        await run.spend.settle(order, 0.01 * (number % 7));
      }),
    );

    const spent = Array.from({ length: 30 }, (_, number) => 0.01 * (number % 7)).reduce((sum, each) => sum + each, 0);
    expect(await roomIn(run, { ceilings: { ...none, run: 5 } })).toBeCloseTo(5 - spent);
    expect(await roomIn(run, { ceilings: { ...none, project: 6 } })).toBeCloseTo(6 - spent);
    const month = monthSpend(database, { project: 6, organization: null, deployment: null }, () => run.clock.at);
    expect((await month({ project: run.order().project })).budgets.project).toMatchObject({ reserved: 0 });
    expect(await roomIn(run, { ceilings: { ...none, organization: null, deployment: 7 } })).toBeCloseTo(7 - spent);
  });
});
