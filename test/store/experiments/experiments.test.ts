import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ExperimentReference } from "../../../lib/domain/experiments/experiment.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { experimentStore, type ExperimentChange } from "../../../lib/store/experiments/experiments.ts";
import { experimentScores } from "../../../lib/store/experiments/scores.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { isOn, pauseAt, watchedDatabase } from "../../support/database/watched-database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const now = () => Date.parse("2026-11-21T00:00:00Z");
const atHour = (hours: number) => instantAt(Date.parse("2026-11-01T00:00:00Z") + hours * 3_600_000);

/** Returns a project with a name of experiments, and what traces of it write. */
const newExperiment = (fields: Partial<ExperimentReference> = {}) => {
  const project = randomUUID();
  const reference = {
    id: randomUUID(),
    hasOwnId: false,
    name: "nightly",
    dataset: null,
    itemId: null,
    itemName: null,
    ...fields,
  };
  const change = (hours: number, more: Partial<ExperimentChange> = {}): ExperimentChange => ({
    project,
    experiment: reference,
    isRemoved: false,
    expiresAt: undefined,
    trace: {
      traceId: randomUUID(),
      incarnation: "one",
      itemId: null,
      itemName: null,
      input: null,
      startedAt: atHour(hours),
      hasEnded: true,
      hasFailed: false,
      latencyMilliseconds: 5,
      cost: 0.5,
      tokens: 7,
    },
    ...more,
  });
  /** Starts of the traces of each experiment, in hours, as a new process reads them. */
  const contents = async () => {
    const store = experimentStore(database, now);
    const experiments = (await store.list(project)).toSorted((a, b) => (a.startedAt < b.startedAt ? -1 : 1));
    return Promise.all(
      experiments.map(async ({ id, startedAt }) => {
        const starts = (await store.traces(project, id)).map((trace) => trace.startedAt).toSorted();
        expect(startedAt).toBe(starts[0]);
        expect((await store.resolve(project, reference, starts.at(-1) ?? ""))?.id).toBe(id);
        return starts.map((start) => (Date.parse(start) - Date.parse(atHour(0))) / 3_600_000);
      }),
    );
  };
  return { project, reference, change, contents };
};

test("a second run under one name within 24 hours of the last trace continues the experiment, a later one begins another", async () => {
  const { change, contents } = newExperiment();

  await experimentStore(database, now).follow([change(0), change(10), change(33)]);
  await experimentStore(database, now).follow([change(58), change(-1), change(81)]);

  expect(await contents()).toEqual([
    [-1, 0, 10, 33],
    [58, 81],
  ]);
});

test("an experiment with an id of its own is one however far its traces lie apart", async () => {
  const { change, contents } = newExperiment({ hasOwnId: true });

  await experimentStore(database, now).follow([change(10), change(200), change(0)]);

  expect(await contents()).toEqual([[0, 10, 200]]);
});

test("changes that come again, and by several processes at once, end in the same experiments", async () => {
  const { change, contents } = newExperiment();
  const first = [change(0), change(40), change(30)];
  const second = [change(41), change(5), change(90)];
  const processes = [experimentStore(database, now), experimentStore(database, now)];

  await Promise.all([processes[0]?.follow(first), processes[1]?.follow(first)]);
  await Promise.all([processes[0]?.follow(second), processes[1]?.follow(first), processes[1]?.follow(second)]);
  await experimentStore(database, now).follow([...first, ...second]);

  const experiments = await contents();
  expect(experiments.flat()).toEqual([0, 5, 30, 40, 41, 90]);
  expect(experiments.at(-1)).toEqual([90]);
});

test.each([{ first: [] }, { first: [5] }])(
  "a process that read an experiment with traces at $first before another one changed it takes nothing back",
  async ({ first }) => {
    const { change, contents } = newExperiment();
    await experimentStore(database, now).follow(first.map((hours) => change(hours)));
    const slow = pauseAt(isOn("PutItem", "aggregates"));
    const behind = experimentStore(watchedDatabase(database, slow.decide), now).follow([change(12)]);
    await slow.reached;

    await experimentStore(database, now).follow([change(1), change(9)]);
    slow.open();
    await behind;

    expect(await contents()).toEqual([[1, ...first, 9, 12]]);
  },
);

test("a trace that is removed leaves its experiment, also of a process that did not see it come", async () => {
  const { change, contents } = newExperiment();
  const second = change(41);
  await experimentStore(database, now).follow([change(0), change(1), change(40), second]);

  await experimentStore(database, now).follow([
    { ...second, isRemoved: true },
    { ...change(300), isRemoved: true },
  ]);

  expect(await contents()).toEqual([[0, 1], [40]]);
});

test("a trace of a known experiment is one write, and nothing is read", async () => {
  const { change } = newExperiment();
  const watched = watchedDatabase(database);
  const store = experimentStore(watched, now);
  await store.follow([change(0)]);
  watched.calls.length = 0;

  await store.follow(Array.from({ length: 30 }, (_, at) => change(at / 200)));

  expect(new Set(watched.calls.map(({ operation }) => operation))).toEqual(new Set(["BatchWriteItem"]));
  const writes = watched.calls.map(({ input }) => Object.values(input["RequestItems"] ?? {}).flat().length);
  expect(writes.reduce((sum, count) => sum + count)).toBe(30);
});

test("an experiment is listed until the last of its traces has expired", async () => {
  const { project, change } = newExperiment();
  const seconds = now() / 1000;
  const store = experimentStore(database, now);
  await store.follow([change(0, { expiresAt: seconds + 100 }), change(0, { expiresAt: seconds + 86_500 })]);
  const later = (after: number) => experimentStore(database, () => now() + after * 1000);

  expect(await later(200).list(project)).toHaveLength(1);
  expect(await later(86_600).list(project)).toEqual([]);

  await later(86_600).follow([change(500, { expiresAt: seconds + 200_000 })]);
  expect(await later(86_600).list(project)).toMatchObject([{ startedAt: atHour(500) }]);
});

test("a score of an experiment as a whole is read until it expires", async () => {
  const [project, expiresAt] = [randomUUID(), now() / 1000 + 10];
  const texts = { id: "s", external_id: null, name: "mean", value: "0.5", reason: null, config_id: null };
  const score = { ...texts, data_type: "NUMERIC", metadata: {}, created_at: atHour(0) } as const;

  await experimentScores(database, now).put(project, "run", score, expiresAt);

  expect(await experimentScores(database, now).list(project, "run")).toEqual([score]);
  expect(await experimentScores(database, () => expiresAt * 1000).list(project, "run")).toEqual([]);
});
