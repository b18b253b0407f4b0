import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { IngestProject } from "../../../lib/domain/access/principal.ts";
import type { ProjectReference } from "../../../lib/domain/access/project-reference.ts";
import { Refusal } from "../../../lib/domain/refusal.ts";
import { defaultStartBounds } from "../../../lib/domain/traces/limits.ts";
import { itemsOf } from "../../../lib/dynamo/items.ts";
import { installReadMeter, withReadMeter } from "../../../lib/dynamo/read-meter.ts";
import { batchImporter, type SentBatch } from "../../../lib/handlers/langsmith/import-batch.ts";
import { projectItems } from "../../../lib/store/access/project-writes.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { watchedDatabase } from "../../support/database/watched-database.ts";
import { inTurn } from "../../support/in-turn.ts";

const at = "2026-11-21T09:00:00Z";
const organizationId = randomUUID();
const projects = Array.from({ length: 100 }, (_, index): IngestProject => ({
  id: randomUUID(),
  organizationId,
  name: `project ${index}`,
  metadata_keys: [],
}));
const [first] = projects;
if (first === undefined) throw new Error("There is no project.");

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
  installReadMeter(database);
  const access = itemsOf(database, "access");
  await inTurn(projects, (project) => access.transact(projectItems({ ...project, description: "", createdAt: at })));
});
afterAll(() => database.close());

const projectFor = async (reference: ProjectReference | null): Promise<IngestProject> =>
  projects.find((project) => reference?.kind === "id" && project.id === reference.id) ?? first;

/** Keys and requests by which a batch reads, its read units, its warnings and the messages about items that are not stored. */
const importing = async (batch: SentBatch, scope: { readonly project?: IngestProject } = {}) => {
  const { calls, ...watched } = watchedDatabase(database);
  const meter = { units: 0 };
  const importBatch = batchImporter(watched, traceStore(watched, 0), defaultStartBounds);
  const principal = { kind: "key", keyId: randomUUID(), organizationId } as const;
  const request = {
    principal,
    keyAccess: "full" as const,
    organizationId,
    parentProject: null,
    projectFor,
    idFor: () => randomUUID(),
    ...scope,
  };
  const flaws = await withReadMeter(meter, () => importBatch(batch, request)).then(
    () => [],
    (error: unknown) => {
      if (!(error instanceof Refusal)) throw error;
      return error.reason.kind === "invalid" ? error.reason.violations.map(({ msg }) => msg) : [error.reason.detail];
    },
  );
  const keys = calls.flatMap(({ operation, input }) => {
    if (operation === "GetItem" || operation === "Query") return [1];
    const tables = operation === "BatchGetItem" ? Object.values(Object(input["RequestItems"])) : [];
    return tables.map((each) => (each as { readonly Keys: readonly unknown[] }).Keys.length);
  });
  return { reads: keys.reduce((sum, each) => sum + each, 0), units: meter.units, flaws };
};

const listOf = <Each>(count: number, make: (index: number) => Each): Each[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** Stores a trace of a run and returns the ids of its runs. */
const storedTrace = async (children: number, bytes: number): Promise<readonly string[]> => {
  const root = randomUUID();
  const ids = [root, ...listOf(children, () => randomUUID())];
  const post = ids.map((id) => ({
    id,
    trace_id: root,
    parent_run_id: id === root ? null : root,
    name: "x",
    run_type: "chain",
    start_time: at,
    inputs: { text: id === root ? "x".repeat(bytes) : "" },
  }));
  expect(await importing({ post }, { project: first })).toMatchObject({ flaws: [] });
  return ids;
};

type Shape = (count: number) => Promise<SentBatch>;

const changes = (ids: readonly string[], trace_id?: string): SentBatch => ({
  patch: ids.map((id) => ({ id, end_time: "2026-11-21T09:00:01Z", ...(trace_id !== undefined && { trace_id }) })),
});

const shapes: readonly (readonly [name: string, shape: Shape])[] = [
  [
    "changes that are all equal",
    async (count) => {
      const [id = ""] = await storedTrace(0, 0);
      return changes(Array<string>(count).fill(id));
    },
  ],
  [
    "changes of runs in one trace",
    async (count) => {
      const [root = "", ...ids] = await storedTrace(count, 0);
      return changes(ids, root);
    },
  ],
  [
    "changes of a trace each",
    async (count) =>
      changes(
        (
          await inTurn(
            listOf(count, () => 0),
            () => storedTrace(0, 0),
          )
        ).flat(),
      ),
  ],
  ["changes of traces that do not exist", async (count) => changes(listOf(count, () => randomUUID()))],
  [
    "changes that all name one large document",
    async (count) => {
      const [root = ""] = await storedTrace(0, 3_000_000);
      return changes(
        listOf(count, () => randomUUID()),
        root,
      );
    },
  ],
  [
    "new runs below a parent each that does not exist",
    async (count) => ({
      post: listOf(count, () => ({ id: randomUUID(), parent_run_id: randomUUID(), name: "x", start_time: at })),
    }),
  ],
  [
    "feedback of one run",
    async (count) => {
      const [run_id = ""] = await storedTrace(0, 3_000_000);
      return { feedback: listOf(count, (score) => ({ id: randomUUID(), run_id, key: "helpful", score })) };
    },
  ],
  [
    "feedback of a trace each",
    async (count) => ({
      feedback: (
        await inTurn(
          listOf(count, () => 0),
          () => storedTrace(0, 0),
        )
      )
        .flat()
        .map((trace_id) => ({ id: randomUUID(), trace_id, run_id: trace_id, key: "helpful", score: 1 })),
    }),
  ],
];

test.each(shapes.flatMap(([name, shape]) => [true, false].map((isScoped) => ({ name, shape, isScoped }))))(
  "$name are stored with reads that grow at most linearly, with a key of one project: $isScoped",
  async ({ shape, isScoped }) => {
    const scope = isScoped ? { project: first } : {};
    const few = await importing(await shape(10), scope);
    const many = await importing(await shape(40), scope);

    expect(many.reads).toBeLessThanOrEqual(4 * few.reads);
    expect(many.units).toBeLessThanOrEqual(4 * few.units);
  },
);

test("changes of one large trace read its document once", async () => {
  const [root = ""] = await storedTrace(0, 3_000_000);

  const one = await importing(changes([randomUUID()], root), { project: first });
  const many = await importing(
    changes(
      listOf(200, () => randomUUID()),
      root,
    ),
    { project: first },
  );

  expect(many.reads).toBe(one.reads);
  expect(many.units).toBe(one.units);
  expect(many.flaws).toHaveLength(100);
});

test("a request looks up at most 20 traces and 32 MiB to place runs, and tells about each run in another one", async () => {
  const small = await inTurn(
    listOf(22, () => 0),
    () => storedTrace(0, 0),
  );
  const large = await inTurn(
    listOf(9, () => 0),
    () => storedTrace(0, 4_000_000),
  );

  const changed = await importing(changes(small.flat()), { project: first });
  const changedLarge = await importing(changes(large.flat()), { project: first });

  expect(changed.flaws).toEqual(Array(2).fill(expect.stringContaining("look up 20 traces")));
  // A trace has the input of its root, too: four of 8 MB are read.
  expect(changedLarge.flaws).toEqual(Array(5).fill(expect.stringContaining("32 MiB")));
});

test("a request without a project searches 20 traces in 100 projects, and tells about each run in another one", async () => {
  const ids = listOf(25, () => randomUUID());
  const post = ids.map((id) => ({ id, trace_id: id, name: "x", start_time: at }));

  const { flaws } = await importing({ post });
  const stored = await inTurn(ids, (id) => traceReader(database).get(first.id, id));

  expect(flaws).toEqual(Array(5).fill(expect.stringContaining("names no project")));
  expect(stored.map((trace) => trace !== null)).toEqual([
    ...Array<boolean>(20).fill(true),
    ...Array<boolean>(5).fill(false),
  ]);
});

test("a new run belongs to the trace of its parent in the same request", async () => {
  const [root, child, grandchild] = [randomUUID(), randomUUID(), randomUUID()];
  const run = (id: string, parent_run_id: string | null) => ({ id, parent_run_id, name: "x", start_time: at });

  const { flaws } = await importing(
    { post: [run(root, null), run(child, root), run(grandchild, child)] },
    { project: first },
  );
  const stored = await traceReader(database).get(first.id, root);

  expect(flaws).toEqual([]);
  expect(stored?.trace.spans.map(({ span_id }) => span_id).toSorted()).toEqual([root, child, grandchild].toSorted());
});
