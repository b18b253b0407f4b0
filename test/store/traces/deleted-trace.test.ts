import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Refusal } from "../../../lib/domain/refusal.ts";
import { traceDeleted } from "../../../lib/domain/traces/deleted-trace.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { eraseTraces } from "../../../lib/store/garbage/erase.ts";
import { orphanParts } from "../../../lib/store/garbage/orphan-parts.ts";
import { scanPage } from "../../../lib/store/deletion/table-scan.ts";
import { projectsOfTraces } from "../../../lib/store/traces/trace-project.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { traceRemoval } from "../../../lib/store/traces/removal.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { commitsRow, isOn, pauseAt } from "../../support/database/watched-database.ts";
import { faultyDatabase } from "../../support/faults/faults.ts";
import { inTurn } from "../../support/in-turn.ts";
import { seeded } from "../../support/random.ts";
import { itemsOf, purge, purgeAll } from "../../support/traces/purge.ts";
import { someTrace } from "../../support/traces/traces.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const hour = 3_600_000;
const spanOf = (span_id: string) => ({ span_id, name: span_id, started_at: "2026-10-01T10:00:01+00:00" });

/** A project with a clock, and what can happen to one trace id in it. */
const traceLife = (connection: Database = database) => {
  const [project, id] = [randomUUID(), randomUUID()];
  let instant = Date.parse("2026-10-05T00:00:00Z");
  const now = (): number => instant;
  const store = traceStore(connection, 0, now);
  const trace = (name: string) => someTrace({ trace_id: id, name, spans: [spanOf(name)] });
  return {
    project,
    id,
    now,
    store,
    wait: (milliseconds: number): void => {
      instant += milliseconds;
    },
    post: (name: string) => store.save(project, trace(name), "trace"),
    postOnce: (name: string) =>
      store.saveIdempotent(project, trace(name), { bodyHash: name, checkReplay: () => undefined }),
    export: (name: string) => store.save(project, trace(name), "telemetry"),
    exportKnown: async (name: string) =>
      store.saveKnown(project, trace(name), (await store.snapshots(project, [id])).get(id) ?? null),
    append: (name: string) => store.addSpans(project, id, [spanOf(name)]),
    patch: (name: string) => store.change(project, id, { kind: "trace-patch", update: { output: name } }),
    remove: () => traceRemoval(database, now).remove(project, id),
    purge: () => purgeAll(database, project, now),
    /** Removes what the monthly scan takes for orphans. */
    scan: async (): Promise<void> => {
      const { items } = await scanPage(database, "bodies", undefined, 0, 1);
      await orphanParts(database, now).remove(items.filter(({ pk }) => String(pk).startsWith(project)));
    },
    spans: async () => (await traceReader(database, now).get(project, id))?.trace.spans.map(({ name }) => name) ?? null,
  };
};

type Life = ReturnType<typeof traceLife>;

/** Requests that a deleted trace rejects for 24 hours. */
const rejected = ["export", "exportKnown", "append", "patch"] as const;

const { reason } = traceDeleted();
const refusal = { reason };

/** True if a request is rejected because the trace was deleted. @throws any other error. */
const isRejected = async (request: Promise<unknown>): Promise<boolean> => {
  try {
    await request;
    return false;
  } catch (error) {
    if (error instanceof Refusal && isDeepStrictEqual(error.reason, reason)) return true;
    throw error;
  }
};

const areRejected = (life: Life) => inTurn(rejected, (kind) => isRejected(life[kind]("late")));

test.each<[string, (life: Life) => Promise<unknown>]>([
  ["at once", async () => undefined],
  ["after the purge", ({ purge: purgeNow }) => purgeNow()],
  ["after several purges", async ({ purge: purgeNow }) => [await purgeNow(), await purgeNow()]],
  ["before the purge, after the scan for orphans", ({ scan }) => scan()],
  ["after the purge and the scan for orphans", async ({ purge: purgeNow, scan }) => [await purgeNow(), await scan()]],
])(
  "telemetry, late spans and changes of a deleted trace are rejected %s, until 24 hours have passed",
  async (_, then) => {
    const life = traceLife();
    await life.post("first");
    // Old enough for the scan for orphans.
    life.wait(72 * hour);
    await life.remove();
    await then(life);
    const before = await itemsOf(database, life.project);

    const early = await areRejected(life);
    life.wait(24 * hour - 1_000);
    expect([early, await areRejected(life)]).toEqual([rejected.map(() => true), rejected.map(() => true)]);
    expect(await itemsOf(database, life.project)).toEqual(before);

    life.wait(2_000);
    expect([await life.append("late"), await life.patch("late")]).toEqual([false, null]);
    await life.exportKnown("new");
    expect(await life.spans()).toEqual(["new"]);
  },
);

test.each(["post", "postOnce"] as const)(
  "an explicit request (%s) begins a new trace at once, which telemetry then joins",
  async (kind, _end) => {
    for (const isPurged of [false, true]) {
      const life = traceLife();
      await life.post("first");
      const incarnation = (await traceReader(database, life.now).locate(life.project, life.id))?.row.incarnation ?? "";
      await life.remove();
      if (isPurged) await life.purge();

      await life[kind]("second");
      await life.export("third");
      await purge(database, { kind: "trace", project: life.project, trace: life.id, incarnation }, life.now);

      expect((await life.spans())?.toSorted()).toEqual(["second", "third"]);
      const { bodies } = await itemsOf(database, life.project);
      expect(bodies.filter(({ i }) => i === incarnation)).toEqual([]);
    }
  },
);

test.each([
  ["telemetry", "deleted"],
  ["trace", "erased with its user"],
] as const)(
  "%s that takes a claim for abandoned does not bring the trace back if it was committed and %s meanwhile",
  async (kind, _end) => {
    const commit = pauseAt(commitsRow);
    const slow = traceLife(faultyDatabase(database, commit.decide));
    const posting = slow.post("first");
    await commit.reached;
    const takeover = pauseAt(isOn("PutItem", "rows"));
    const exporter = traceStore(faultyDatabase(database, takeover.decide), 0, slow.now);
    const exporting = exporter.save(slow.project, someTrace({ trace_id: slow.id, spans: [spanOf("late")] }), kind);
    await takeover.reached;
    commit.open();
    await posting;
    const row = (await traceReader(database, slow.now).locate(slow.project, slow.id))?.row;
    if (kind === "telemetry" || row === undefined) await slow.remove();
    else await traceRemoval(database, slow.now).removeWhile(slow.project, row, () => true, true);
    takeover.open();

    await expect(exporting).rejects.toMatchObject(refusal);
    expect(await slow.spans()).toBeNull();
  },
);

test("telemetry that began before the deletion and a purge changes nothing after them", async () => {
  const gate = pauseAt(commitsRow);
  const life = traceLife();
  await life.post("first");
  const slowStore = traceStore(faultyDatabase(database, gate.decide), 0, life.now);
  const exporting = slowStore.save(
    life.project,
    someTrace({ trace_id: life.id, spans: [spanOf("late")] }),
    "telemetry",
  );
  await gate.reached;
  await life.remove();
  await life.purge();
  gate.open();

  await expect(exporting).rejects.toMatchObject(refusal);
  expect(await life.spans()).toBeNull();
});

test("an explicit request that dies leaves a trace deleted until it has claimed the id", async () => {
  const outcomes = new Set<boolean>();
  for (let killed = 0, finished = false; !finished; killed += 1) {
    const life = traceLife();
    await life.post("first");
    const deleted = await traceReader(database, life.now).pointer(life.project, life.id);
    await life.remove();
    let requests = 0;
    const dying = faultyDatabase(database, () => {
      requests += 1;
      return requests === killed + 1 ? "crash-after" : null;
    });
    await traceStore(dying, 0, life.now)
      .save(life.project, someTrace({ trace_id: life.id, spans: [spanOf("second")] }))
      .catch(() => undefined);
    finished = !dying.crashed;
    const pointer = await traceReader(database, life.now).pointer(life.project, life.id);

    const isTaken = !(await isRejected(life.export("third")));
    outcomes.add(isTaken);
    expect(isTaken).toBe(pointer?.incarnation !== deleted?.incarnation);
    expect((await life.spans())?.includes("third") === true).toBe(isTaken);
  }
  expect(outcomes).toEqual(new Set([true, false]));
});

test("the end of a trace's retention is no deletion: telemetry begins a new trace", async () => {
  const life = traceLife();
  const kept = traceStore(database, 1, life.now);
  await kept.save(life.project, someTrace({ trace_id: life.id, spans: [spanOf("first")] }));
  life.wait(72 * hour);

  await life.export("second");

  expect(await life.spans()).toEqual(["second"]);
});

test("the erasure of a project leaves no pointer of a deleted trace", async () => {
  for (const isPurged of [false, true]) {
    const life = traceLife();
    await life.post("first");
    await life.remove();
    if (isPurged) await life.purge();
    expect((await itemsOf(database, life.project))[isPurged ? "deletedPointers" : "bodies"]).toHaveLength(1);

    for await (const _ of eraseTraces(database, true)(life.project));

    const { bodies, deletedPointers, allItems } = await itemsOf(database, life.project);
    expect([bodies, deletedPointers, allItems.filter((item) => "x" in item)]).toEqual([[], [], []]);
  }
});

test("a project that has a trace is found before one whose trace was deleted", async () => {
  const [deleted, living] = [traceLife(), traceLife()];
  for (const { store, project } of [deleted, living]) await store.save(project, someTrace({ trace_id: deleted.id }));
  await deleted.remove();
  await deleted.purge();

  const holderIn = async (...projects: readonly string[]) =>
    (await projectsOfTraces(database, projects, [deleted.id])).get(deleted.id);
  expect(await holderIn(deleted.project, living.project)).toBe(living.project);
  expect(await holderIn(deleted.project)).toBe(deleted.project);
});

test("in any order of requests, purges, scans and time telemetry never brings a deleted trace back", async () => {
  for (let seed = 1; seed <= 12; seed += 1) {
    const [life, random] = [traceLife(), seeded(seed)];
    let [isAlive, deletedAt] = [false, Number.NEGATIVE_INFINITY];
    const [observed, expected]: [string[], string[]] = [[], []];
    for (let step = 0; step < 25; step += 1) {
      const isRecent = life.now() < deletedAt + 24 * hour;
      const kind = random.pick([
        "post",
        "postOnce",
        "remove",
        "purge",
        "scan",
        "wait",
        ...rejected,
        ...rejected,
      ] as const);
      let request: Promise<unknown>;
      let mustReject = false;
      if (kind === "wait") request = Promise.resolve(life.wait(random.pick([1_000, hour, 13 * hour, 25 * hour])));
      else if (kind === "purge" || kind === "scan") request = life[kind]();
      else if (kind === "remove") {
        if (isAlive) deletedAt = life.now();
        isAlive = false;
        request = life.remove();
      } else {
        mustReject = kind !== "post" && kind !== "postOnce" && !isAlive && isRecent;
        isAlive ||= !mustReject && kind !== "append" && kind !== "patch";
        request = life[kind](`${step}`);
      }
      observed.push(`${kind}: rejected ${await isRejected(request)}, there ${(await life.spans()) !== null}`);
      expected.push(`${kind}: rejected ${mustReject}, there ${isAlive}`);
    }
    expect([seed, observed]).toEqual([seed, expected]);
  }
});
