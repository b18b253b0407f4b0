import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Ceilings } from "../../../lib/domain/runs/spend.ts";
import { closeBooks } from "../../../lib/store/spend/close.ts";
import { eraseOrganizationSpend } from "../../../lib/store/spend/erase.ts";
import { monthSpend } from "../../../lib/store/spend/month-spend.ts";
import { spendStore, type Reservation } from "../../../lib/store/spend/spend.ts";
import { itemsNaming } from "../../support/database/items-naming.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const none: Ceilings = { run: null, project: null, organization: null, deployment: null };
let months = 0;

/** A project and a run of its own, in a month of its own: a test meets no other test's deployment. */
const world = (at = Date.UTC(2026, ++months, 21)) => {
  const clock = { at };
  const [project, run] = [randomUUID(), randomUUID()];
  const spend = spendStore(database, () => clock.at);
  const order = (fields: Partial<Reservation> = {}): Reservation => ({
    project,
    run,
    slice: "a#0000",
    epoch: 1,
    spent: 0,
    want: 0.4,
    least: 0.1,
    ceilings: { ...none, run: 1 },
    ...fields,
  });
  return { clock, spend, order, reserve: (fields?: Partial<Reservation>) => spend.reserve(order(fields)) };
};

/** What can still be reserved: asked for by a slice that gives it back. */
const roomIn = async (
  { spend, order }: ReturnType<typeof world>,
  fields: Partial<Reservation> = {},
): Promise<number> => {
  const probe = order({ ...fields, slice: "probe#0000", epoch: 1, want: 1e6, least: 0.000001, spent: 0 });
  const reserved = await spend.reserve(probe);
  await spend.settle(probe, 0);
  return reserved.kind === "granted" ? reserved.usd : 0;
};

describe("a reservation", () => {
  test("without a ceiling is granted without a word to the database", async () => {
    const unreachable = { client: database.client, table: () => "no-such-table" };

    expect(await spendStore(unreachable).reserve(world().order({ ceilings: none }))).toEqual({
      kind: "granted",
      usd: 0.4,
    });
  });

  test("is granted while the ceiling has room, then as much as is left, then not at all", async () => {
    const run = world();

    expect(await run.reserve({ slice: "a#0000" })).toEqual({ kind: "granted", usd: 0.4 });
    expect(await run.reserve({ slice: "a#0001" })).toEqual({ kind: "granted", usd: 0.4 });
    expect(await run.reserve({ slice: "a#0002" })).toEqual({ kind: "granted", usd: 0.2 });
    expect(await run.reserve({ slice: "a#0003" })).toEqual({
      kind: "wait",
      ceiling: "run",
      message: expect.stringContaining("max_cost_usd of $1.00 does not cover another judgement"),
      mayFree: true,
    });
  });

  test("that would give less than is of use waits", async () => {
    const run = world();
    await run.reserve({ want: 0.95 });

    expect(await run.reserve({ slice: "a#0001", least: 0.06 })).toMatchObject({ kind: "wait" });
    expect(await run.reserve({ slice: "a#0001", least: 0.05 })).toEqual({ kind: "granted", usd: 0.05 });
  });

  test("made twice by the same delivery is one", async () => {
    const run = world();

    const twice = [await run.reserve(), await run.reserve()];

    expect(twice).toEqual([
      { kind: "granted", usd: 0.4 },
      { kind: "granted", usd: 0.4 },
    ]);
    expect(await roomIn(run)).toBeCloseTo(0.6);
  });

  test("of a killed worker is replaced by the next delivery's", async () => {
    const run = world();
    await run.reserve({ epoch: 1, want: 0.8 });

    const next = await run.reserve({ epoch: 2, spent: 0.3, want: 0.5 });

    expect(next).toEqual({ kind: "granted", usd: 0.5 });
    expect(await roomIn(run)).toBeCloseTo(0.2);
  });

  test("of a killed worker is not kept from others while the next delivery waits", async () => {
    const run = world();
    await run.reserve({ epoch: 1, want: 0.7 });
    await run.reserve({ slice: "a#0001", want: 0.3 });

    expect(await run.reserve({ epoch: 2, spent: 0.6, want: 0.4, least: 0.2 })).toMatchObject({ kind: "wait" });
    expect(await run.reserve({ slice: "a#0002", want: 0.1 })).toEqual({ kind: "granted", usd: 0.1 });
  });

  test("counts under the ceiling of the project's organization with all that its other projects hold, and with no other's", async () => {
    const at = Date.UTC(2031, 5, 15);
    const [first, second, stranger] = [world(at), world(at), world(at)];
    const own = { organization: randomUUID(), ceilings: { ...none, organization: 1 }, want: 0.6 };

    const replies = [
      await first.reserve(own),
      await second.reserve(own),
      await second.reserve({ ...own, slice: "a#0001" }),
    ];

    expect(replies).toEqual([
      { kind: "granted", usd: 0.6 },
      { kind: "granted", usd: 0.4 },
      {
        kind: "wait",
        ceiling: "organization",
        message: "The organization has reached its ceiling of $1.00 for judging in June 2031.",
        mayFree: true,
      },
    ]);
    expect(await stranger.reserve({ ...own, organization: randomUUID() })).toEqual({ kind: "granted", usd: 0.6 });
    // A project that is gone has none.
    expect(await stranger.reserve({ ...own, organization: null })).toEqual({ kind: "granted", usd: 0.6 });
  });

  test("under an organization's ceiling leaves nothing behind when the organization goes", async () => {
    const one = world(Date.UTC(2032, 1, 10));
    const organization = randomUUID();
    await one.reserve({ organization, ceilings: { ...none, organization: 1 } });
    const before = await itemsNaming(database, [organization]);

    for await (const _ of eraseOrganizationSpend(database, () => Date.UTC(2032, 11, 24))(organization));

    // The slice's own record goes with its project.
    expect(before.length).toBeGreaterThan(1);
    expect((await itemsNaming(database, [organization])).map(({ item }) => item["sk"])).toEqual(["slice#a#0000"]);
  });

  test("of a worker that was overtaken is refused and changes nothing", async () => {
    const run = world();
    await run.reserve({ epoch: 2 });

    expect(await run.reserve({ epoch: 1, want: 0.1 })).toEqual({ kind: "superseded" });
    expect(await roomIn(run)).toBeCloseTo(0.6);
  });

  test("at a run's ceiling that nobody else holds anything of cannot get better", async () => {
    const run = world();
    await run.reserve({ slice: "a#0001", want: 1 });
    await run.spend.settle(run.order({ slice: "a#0001" }), 1);

    expect(await run.reserve()).toMatchObject({ kind: "wait", ceiling: "run", mayFree: false });
  });
});

describe("settling", () => {
  test("gives back what was not spent", async () => {
    const run = world();
    await run.reserve({ want: 0.9 });

    await run.spend.settle(run.order(), 0.25);

    expect(await roomIn(run)).toBeCloseTo(0.75);
  });

  test("counts what was spent beyond the reservation", async () => {
    const run = world();
    await run.reserve({ want: 0.5 });

    await run.spend.settle(run.order(), 0.9);

    expect(await roomIn(run)).toBeCloseTo(0.1);
    await run.spend.settle(run.order(), 1.2);
    expect(await run.reserve({ slice: "a#0001", least: 0.000001 })).toMatchObject({ kind: "wait" });
  });

  test("twice, or by a worker that was overtaken, changes nothing", async () => {
    const run = world();
    await run.reserve({ epoch: 2, want: 0.5 });
    await run.spend.settle(run.order({ epoch: 2 }), 0.3);

    await run.spend.settle(run.order({ epoch: 2 }), 0.3);
    await run.spend.settle(run.order({ epoch: 1 }), 0.1);

    expect(await roomIn(run)).toBeCloseTo(0.7);
  });

  test("what was never reserved does nothing", async () => {
    const run = world();

    await run.spend.settle(run.order(), 0.5);

    expect(await roomIn(run)).toBe(1);
  });

  test("a run that will not go on gives back what its slices hold, and what they spent stays spent", async () => {
    const run = world();
    await run.reserve({ slice: "a#0000", epoch: 3, want: 0.5, spent: 0 });
    await run.reserve({ slice: "a#0000", epoch: 4, want: 0.3, spent: 0.2 });
    await run.reserve({ slice: "a#0001", want: 0.4 });

    const costs = async () => new Map([["a#0000", 0.2]]);
    await run.spend.releaseRun(run.order().project, run.order().run, costs);

    expect(await roomIn(run)).toBeCloseTo(0.8);
  });

  test("a run that will not go on has spent what its slices say, where a worker has died and never told its books", async () => {
    const run = world();
    await run.reserve({ slice: "a#0000", epoch: 3, want: 0.5, spent: 0.1 });

    await run.spend.releaseRun(run.order().project, run.order().run, async () => new Map([["a#0000", 0.35]]));

    expect(await roomIn(run)).toBeCloseTo(0.75);
  });
});

describe("ceilings of a month", () => {
  const monthly: Ceilings = { run: null, project: 1, organization: null, deployment: 1.5 };

  test("hold for all runs of a project and for all projects, the narrowest told first", async () => {
    const [one, other] = [world(), world()];
    other.clock.at = one.clock.at;

    expect(await one.reserve({ ceilings: monthly, want: 0.9 })).toMatchObject({ kind: "granted" });
    expect(await one.reserve({ ceilings: monthly, run: randomUUID(), want: 0.9, least: 0.2 })).toMatchObject({
      kind: "wait",
      ceiling: "project",
      mayFree: true,
    });
    expect(await other.reserve({ ceilings: monthly, want: 0.9 })).toMatchObject({ kind: "granted", usd: 0.6 });
    expect(await other.reserve({ ceilings: monthly, slice: "a#0001" })).toMatchObject({
      kind: "wait",
      ceiling: "deployment",
      message: expect.stringContaining("The deployment has reached its ceiling of $1.50"),
    });
  });

  test("begin anew with the month, and what is spent then counts there alone", async () => {
    const run = world(Date.UTC(2041, 0, 31, 23));
    await run.reserve({ ceilings: monthly, want: 0.9 });
    run.clock.at = Date.UTC(2041, 1, 1);

    expect(await run.reserve({ ceilings: monthly, epoch: 2, spent: 0.7, want: 0.9 })).toEqual({
      kind: "granted",
      usd: 0.9,
    });
    await run.spend.settle(run.order({ epoch: 2 }), 0.8);

    expect(await roomIn(run, { ceilings: { ...none, project: 1 } })).toBeCloseTo(0.9);
    run.clock.at = Date.UTC(2041, 0, 31, 23);
    expect(await roomIn(run, { ceilings: { ...none, project: 1 } })).toBeCloseTo(0.3);
  });

  test("that are lowered below what is used admit nothing, and admit again when they are raised", async () => {
    const run = world();
    await run.reserve({ ceilings: { ...none, project: 10 }, want: 6 });

    expect(await run.reserve({ ceilings: { ...none, project: 5 }, slice: "a#0001" })).toMatchObject({ kind: "wait" });
    expect(await run.reserve({ ceilings: { ...none, project: 7 }, slice: "a#0001" })).toEqual({
      kind: "granted",
      usd: 0.4,
    });
  });
});

describe("what is told of a month", () => {
  const ceilings = { project: 1, organization: 4, deployment: null };
  const organization = randomUUID();
  /** What a project's month is told to have used, in the month of its clock. */
  const told = ({ clock, order }: ReturnType<typeof world>) =>
    monthSpend(database, ceilings, () => clock.at)({ project: order().project, organization });
  const budget = (ceiling: number, spent: number, reserved: number) => ({
    ceiling,
    spent,
    reserved,
    left: ceiling - spent - reserved,
    percent: Math.floor(((spent + reserved) / ceiling) * 100),
  });
  const own = { organization, ceilings: { ...none, ...ceilings } };

  test("is what is spent and what is set aside of each ceiling, through grants, further grants, settlement, a worker's death and the end of a run", async () => {
    const one = world(Date.UTC(2033, 3, 5));
    expect(await told(one)).toEqual({ project: budget(1, 0, 0), organization: budget(4, 0, 0), deployment: null });

    await one.reserve({ ...own, want: 0.5 });
    expect(await told(one)).toMatchObject({ project: budget(1, 0, 0.5), organization: budget(4, 0, 0.5) });
    // As much is held as before, and another part of it is spent.
    await one.reserve({ ...own, spent: 0.25, want: 0.25 });
    expect(await told(one)).toMatchObject({ project: budget(1, 0.25, 0.25) });
    await one.reserve({ ...own, slice: "a#0001", want: 0.125 });
    await one.spend.settle(one.order({ slice: "a#0001" }), 0.0625);
    expect(await told(one)).toMatchObject({ project: budget(1, 0.3125, 0.25), organization: budget(4, 0.3125, 0.25) });
    await one.reserve({ ...own, epoch: 2, spent: 0.375, want: 0.0625 });
    expect(await told(one)).toMatchObject({ project: budget(1, 0.4375, 0.0625) });
    await one.spend.settle(one.order({ epoch: 2 }), 0.4375);
    expect(await told(one)).toMatchObject({ project: budget(1, 0.5, 0) });
    await one.reserve({ ...own, epoch: 3, spent: 0.4375, want: 0.25 });
    await one.spend.releaseRun(one.order().project, one.order().run, async () => new Map());
    expect(await told(one)).toMatchObject({ project: budget(1, 0.5, 0), organization: budget(4, 0.5, 0) });
  });

  test("is another month's alone, and what was set aside in the last is not set aside any more", async () => {
    const one = world(Date.UTC(2034, 0, 31));
    await one.reserve({ ...own, want: 0.5 });
    one.clock.at = Date.UTC(2034, 1, 1);
    await one.reserve({ ...own, epoch: 2, spent: 0.25, want: 0.25 });

    expect(await told(one)).toMatchObject({ project: budget(1, 0, 0.25) });
    one.clock.at = Date.UTC(2034, 0, 31);
    expect(await told(one)).toMatchObject({ project: budget(1, 0.25, 0) });
  });

  test("has nothing set aside of a run whose books were closed before they gave back", async () => {
    const one = world(Date.UTC(2035, 6, 1));
    await one.reserve({ ...own, want: 0.5 });
    for await (const _ of closeBooks(database, () => one.clock.at)(one.order().project, one.order().run));

    expect(await told(one)).toMatchObject({ organization: budget(4, 0.5, 0) });
  });

  test("with books that earlier workers wrote has them as spent until they move", async () => {
    const one = world(Date.UTC(2036, 6, 1));
    await one.reserve({ ...own, want: 0.5 });
    for (const { item } of await itemsNaming(database, [one.order().project])) {
      const text = JSON.stringify(item).replaceAll(/,"reserved":\d+|"reserved":\d+,/gu, "");
      expect(text).not.toContain("reserved");
      await database.client.send(new PutCommand({ TableName: database.table("spend"), Item: JSON.parse(text) }));
    }
    expect(await told(one)).toMatchObject({ project: budget(1, 0.5, 0) });

    await one.reserve({ ...own, slice: "a#0001", want: 0.125 });
    await one.spend.settle(one.order(), 0.25);
    expect(await told(one)).toMatchObject({ project: budget(1, 0.25, 0.125) });
  });
});

describe("many workers at once", () => {
  test("never reserve more than the ceiling, and use it up", async () => {
    const run = world();

    const granted = await Promise.all(
      Array.from({ length: 40 }, (_, slice) => run.reserve({ slice: `a#${slice}`, want: 0.04, least: 0.01 })),
    );

    const total = granted.reduce((sum, reserved) => sum + (reserved.kind === "granted" ? reserved.usd : 0), 0);
    expect(total).toBeCloseTo(1);
    expect(granted.filter(({ kind }) => kind === "wait").length).toBe(15);
  });

  test("that reserve and settle leave exactly what was spent", async () => {
    const run = world();
    const ceilings = { run: 5, project: 6, organization: null, deployment: 7 };

    await Promise.all(
      Array.from({ length: 30 }, async (_, number) => {
        const order = run.order({ slice: `a#${number}`, ceilings, want: 0.15, least: 0.01 });
        await run.spend.reserve(order);
        await run.spend.settle(order, 0.01 * (number % 7));
      }),
    );

    const spent = Array.from({ length: 30 }, (_, number) => 0.01 * (number % 7)).reduce((sum, each) => sum + each, 0);
    expect(await roomIn(run, { ceilings: { ...none, run: 5 } })).toBeCloseTo(5 - spent);
    expect(await roomIn(run, { ceilings: { ...none, project: 6 } })).toBeCloseTo(6 - spent);
    const month = monthSpend(database, { project: 6, organization: null, deployment: null }, () => run.clock.at);
    expect((await month({ project: run.order().project })).project).toMatchObject({ reserved: 0 });
    expect(await roomIn(run, { ceilings: { ...none, organization: null, deployment: 7 } })).toBeCloseTo(7 - spent);
  });
});
