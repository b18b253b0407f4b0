import { randomInt, randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Principal } from "../../../lib/domain/access/principal.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { labelItemId } from "../../../lib/domain/labels/label-set.ts";
import { itemsIn, labelsAt } from "../../../lib/domain/labels/queue.ts";
import { noMasking } from "../../../lib/domain/masking/rules.ts";
import { Refusal } from "../../../lib/domain/refusal.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { labelSetClosing } from "../../../lib/handlers/labels/close.ts";
import { labelQueue } from "../../../lib/handlers/labels/queue.ts";
import { closeLabelSets } from "../../../lib/maintenance/close-label-sets.ts";
import { eraseLabelSets } from "../../../lib/store/labels/erase.ts";
import { labelPublishing } from "../../../lib/store/labels/publish.ts";
import { labelSetStore } from "../../../lib/store/labels/sets.ts";
import { traceScoreList } from "../../../lib/store/scores/of-trace.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { itemsNaming } from "../../support/database/items-naming.ts";
import { pauseAt, watchedDatabase } from "../../support/database/watched-database.ts";
import { Crash, faultyDatabase } from "../../support/faults/faults.ts";
import { saveTraces } from "../../support/traces/save-traces.ts";
import { someTrace } from "../../support/traces/traces.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const listOf = async <Item>(items: AsyncIterable<Item>): Promise<Item[]> => {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
};

const minutes = 60_000;
const scale = {
  data_type: "BOOLEAN" as const,
  min: null,
  max: null,
  threshold: null,
  levels: [],
  categories: [],
  passing: [],
};

const newSet = async (count: number, labelsPerItem = 1) => {
  const [project, id] = [randomUUID(), randomUUID()];
  const traces = Array.from({ length: count }, () => someTrace());
  await saveTraces(database, project, traces);
  const rows = await traceReader(database).locateAll(
    project,
    traces.map(({ trace_id }) => trace_id),
  );
  const items = Array.from(rows.values(), ({ row }) => ({
    traceId: row.traceId,
    version: row.contentVersion,
    incarnation: row.incarnation,
  }));
  const metrics = [{ name: "helpful", version: null, scale, description: null, textHash: null }];
  const settings = {
    name: "set",
    metrics,
    draw: "random" as const,
    isRandom: true,
    size: count,
    labelsPerItem,
    isBlind: true,
  };
  const place = { id, projectId: project, createdAt: instantAt(Date.now()) };
  await labelSetStore(database).create({ ...settings, ...place }, items);
  return { project, set: id, items };
};

type Place = Pick<Awaited<ReturnType<typeof newSet>>, "project" | "set">;

/** Returns what a person can do with a set over a connection. */
const personAt = ({ project, set }: Place, user: string, connection: Database, now: () => number = Date.now) => {
  const queue = labelQueue(connection, now);
  const principal: Principal = { kind: "user", userId: user };
  const request = { project: { id: project, masking: noMasking }, principal };
  return {
    next: () => queue.next({ ...request, params: { set_id: set } } as never),
    put: (item_id: string, value = "true") =>
      queue.put({ ...request, params: { set_id: set, item_id }, body: { labels: { helpful: value } } } as never),
  };
};

const stateOf = async ({ project, set }: Place) => {
  const stored = await labelSetStore(database).get(project, set);
  if (stored === null) throw new Error("The set is gone.");
  const { queue } = stored.state;
  const labels = await labelSetStore(database).labels(project, set, 0, itemsIn(queue));
  return { queue, labels };
};

/** Labels every item of a set by one person each. */
const labelAll = async (place: Place, count: number) => {
  const person = personAt(place, randomUUID(), database);
  for (let at = 0; at < count; at += 1) await person.put((await person.next()).item?.id ?? "");
};

test("eight people with lost leases and processes that die never share an item beyond its labels, and finish all", async () => {
  const [count, width] = [20, 2];
  const place = await newSet(count, width);
  let clock = Date.now();
  const now = () => clock;
  let kills = 0;
  /** Labels until nothing is left; some leases run out, and some processes die at a random call. */
  const work = async (user: string): Promise<void> => {
    for (;;) {
      let calls = randomInt(4) > 0 ? randomInt(1, 30) : Infinity;
      const dying = faultyDatabase(database, () =>
        (calls -= 1) <= 0 ? (randomInt(2) === 0 ? "crash-before" : "crash-after") : null,
      );
      const person = personAt(place, user, dying, now);
      try {
        for (;;) {
          const { item, reason } = await person.next();
          if (reason === "done") return;
          if (item === null) clock += 11 * minutes;
          else if (randomInt(4) === 0) clock += randomInt(2) * 11 * minutes;
          else await person.put(item.id);
          const { queue, labels } = await stateOf(place);
          for (let at = 0; at < count; at += 1) {
            const holders = queue.leases.filter(({ place: leased, until }) => leased === at && until > clock);
            expect(labelsAt(queue, at) + holders.length).toBeLessThanOrEqual(width);
            const people = (labels.get(at) ?? []).map(({ labeller }) => labeller.id);
            expect(new Set(people).size).toBe(people.length);
            expect(people.length).toBeLessThanOrEqual(width);
          }
        }
      } catch (error) {
        if (error instanceof Crash) kills += 1;
        // A lease that ran out, whose place somebody else has taken.
        else if (!(error instanceof Refusal && error.reason.kind === "conflict")) throw error;
      }
    }
  };

  await Promise.all(Array.from({ length: 8 }, () => work(randomUUID())));

  const { queue, labels } = await stateOf(place);
  expect(Array.from({ length: count }, (_, at) => labelsAt(queue, at))).toEqual(Array(count).fill(width));
  expect(Array.from({ length: count }, (_, at) => labels.get(at)?.length)).toEqual(Array(count).fill(width));
  expect(kills).toBeGreaterThan(0);
}, 120_000);

test("a lease that ran out still counts while its item has a place, and not after", async () => {
  const place = await newSet(20);
  let clock = Date.now();
  const [ada, bob] = ["ada", "bob"].map((user) => personAt(place, user, database, () => clock));
  const first = (await ada?.next())?.item?.id ?? "";
  clock += 11 * minutes;

  await ada?.put(first);
  const second = (await ada?.next())?.item?.id ?? "";
  clock += 11 * minutes;
  expect((await bob?.next())?.item?.id).toBe(second);

  await expect(ada?.put(second)).rejects.toMatchObject({ reason: { kind: "conflict" } });
  await bob?.put(second, "false");
  await expect(personAt(place, "carol", database, () => clock).put(second)).rejects.toMatchObject({
    reason: { kind: "conflict" },
  });
  expect((await stateOf(place)).labels.size).toBe(2);
});

test("a person gets each item once, also one with places left, and labels none that they have not taken", async () => {
  const place = await newSet(3, 2);
  const [ada, bob] = ["ada", "bob"].map((user) => personAt(place, user, database));
  const items = new Set<string>();
  for (let at = 0; at < 3; at += 1) {
    const id = (await ada?.next())?.item?.id ?? "";
    items.add(id);
    await ada?.put(id);
  }

  expect(items.size).toBe(3);
  expect(await ada?.next()).toMatchObject({ item: null, reason: "done", set: { own_count: 3, label_count: 3 } });
  await expect(bob?.put(labelItemId(place.set, 1))).rejects.toMatchObject({ reason: { kind: "conflict" } });
});

test("two who close a set at once, and processes that die at any call, publish each label once", async () => {
  const count = 6;
  for (const kind of ["crash-before", "crash-after"] as const)
    for (let call = 1, crashed = true; crashed; call += 3) {
      const place = await newSet(count);
      await labelAll(place, count);
      let calls = 0;
      const dying = faultyDatabase(database, () => ((calls += 1) === call ? kind : null));
      const close = (connection: Database) =>
        labelSetClosing(connection).close({ project: { id: place.project }, params: { set_id: place.set } } as never);
      await Promise.allSettled([close(dying), ...(call % 6 === 1 ? [close(database)] : [])]);
      crashed = dying.crashed;
      await close(database);

      const set = await labelSetStore(database).get(place.project, place.set);
      const scores = traceScoreList(database);
      for (const { traceId } of place.items)
        expect(await listOf(scores.ofTarget(place.project, { target_id: traceId }))).toHaveLength(1);
      expect(set?.state).toMatchObject({ status: "CLOSED", publishedCount: count, unpublishedCount: 0 });
    }
}, 120_000);

test("of two who publish the same part of a set one counts its labels", async () => {
  const place = await newSet(4);
  await labelAll(place, 4);
  const sets = labelSetStore(database);
  await sets.change(place.project, place.set, ({ state }) => ({
    result: true,
    state: { ...state, status: "CLOSING" },
  }));
  const pause = pauseAt(
    ({ operation, input }) => operation === "TransactWriteItems" && JSON.stringify(input).includes("publishedTo"),
  );
  const slow = labelPublishing(watchedDatabase(database, pause.decide)).publish(place.project, place.set, Infinity);
  await pause.reached;
  await labelPublishing(database).publish(place.project, place.set, Infinity);
  pause.open();
  await slow;

  expect((await sets.get(place.project, place.set))?.state).toMatchObject({ status: "CLOSED", publishedCount: 4 });
});

test("the sweep goes on with sets whose request died, also behind one that fails", async () => {
  const places = [await newSet(20), await newSet(20)];
  const sets = labelSetStore(database);
  for (const place of places) {
    await labelAll(place, 20);
    await sets.change(place.project, place.set, ({ state }) => ({
      result: true,
      state: { ...state, status: "CLOSING" },
    }));
  }
  const { publish } = labelPublishing(database);
  const failing: typeof publish = (project, ...rest) =>
    project === places[0]?.project ? Promise.reject(new Error("fails")) : publish(project, ...rest);

  await expect(closeLabelSets(sets, { publish: failing }, minutes)).rejects.toThrow("fails");
  expect((await sets.get(places[1]?.project ?? "", places[1]?.set ?? ""))?.state.status).toBe("CLOSED");
  expect(await closeLabelSets(sets, { publish }, minutes)).toEqual({ closed_label_sets: 1 });
  expect(await listOf(sets.closing())).toEqual([]);
});

test.each([
  ["set", async ({ project, set }: Place) => void (await labelSetStore(database).delete(project, set))],
  [
    "project",
    async ({ project }: Place) => {
      for await (const _ of eraseLabelSets(database)(project));
    },
  ],
])("a deleted %s keeps nothing of a person who was labelling", async (_, remove) => {
  const place = await newSet(20);
  const { item } = await personAt(place, "ada", database).next();
  const pause = pauseAt(({ operation }) => operation === "TransactWriteItems");
  const putting = personAt(place, "ada", watchedDatabase(database, pause.decide)).put(item?.id ?? "");
  await pause.reached;

  await remove(place);
  pause.open();

  await expect(putting).rejects.toMatchObject({ reason: { kind: "not-found" } });
  expect(await itemsNaming(database, [place.set])).toEqual([]);
});

test("nobody reads or labels a set from the first write of its deletion on, nor while its project is being deleted", async () => {
  const [place, other] = [await newSet(20), await newSet(20)];
  const sets = labelSetStore(database);
  const items = await Promise.all(
    [place, other].map(async (each) => (await personAt(each, "ada", database).next()).item?.id ?? ""),
  );
  const pause = pauseAt(({ operation }) => operation === "BatchWriteItem");
  const deleting = labelSetStore(watchedDatabase(database, pause.decide)).delete(place.project, place.set);
  await pause.reached;

  await expect(personAt(place, "ada", database).put(items[0] ?? "")).rejects.toMatchObject({
    reason: { kind: "not-found" },
  });
  expect(await sets.list(place.project)).toEqual([]);

  pause.open();
  await deleting;
  const late = [];
  for await (const _ of eraseLabelSets(database)(other.project))
    late.push(await Promise.allSettled([personAt(other, "ada", database).put(items[1] ?? "")]));
  expect(late.flat().map(({ status }) => status)).toEqual(late.map(() => "rejected"));
  expect(await itemsNaming(database, [place.set, other.set])).toEqual([]);
});
