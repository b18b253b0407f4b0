import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { IngestProject } from "../../../lib/domain/access/principal.ts";
import type { ProjectReference } from "../../../lib/domain/access/project-reference.ts";
import { Refusal } from "../../../lib/domain/refusal.ts";
import { defaultStartBounds } from "../../../lib/domain/traces/limits.ts";
import { itemsOf } from "../../../lib/dynamo/items.ts";
import { batchImporter, type SentBatch } from "../../../lib/handlers/langsmith/import-batch.ts";
import { projectItems } from "../../../lib/store/access/project-writes.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
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
  const access = itemsOf(database, "access");
  await inTurn(projects, (project) =>
    access.transact(projectItems({ ...project, description: "", trace_silence: 600, createdAt: at })),
  );
});
afterAll(() => database.close());

const projectFor = async (reference: ProjectReference | null): Promise<IngestProject> =>
  projects.find((project) => reference?.kind === "id" && project.id === reference.id) ?? first;

/** Stores a batch and returns the messages about items that are not stored. */
const importing = async (
  batch: SentBatch,
  scope: { readonly project?: IngestProject } = {},
): Promise<readonly string[]> => {
  const importBatch = batchImporter(database, traceStore(database, 0), defaultStartBounds);
  const principal = { kind: "key", keyId: randomUUID(), organizationId } as const;
  const warnings: string[] = [];
  const request = {
    principal,
    keyAccess: "full" as const,
    organizationId,
    parentProject: null,
    projectFor,
    idFor: () => randomUUID(),
    warn: (warning: string) => void warnings.push(warning),
    ...scope,
  };
  return importBatch(batch, request).then(
    () => warnings,
    (error: unknown) => {
      if (!(error instanceof Refusal)) throw error;
      return error.reason.kind === "invalid" ? error.reason.violations.map(({ msg }) => msg) : [error.reason.detail];
    },
  );
};

const listOf = <Each>(count: number, make: (index: number) => Each): Each[] =>
  Array.from({ length: count }, (_, index) => make(index));

/** Stores a run that is a trace of its own, and returns its id. */
const storedRun = async (bytes: number): Promise<string> => {
  const id = randomUUID();
  const run = { id, trace_id: id, name: "x", run_type: "chain", start_time: at, inputs: { text: "x".repeat(bytes) } };
  expect(await importing({ post: [run] }, { project: first })).toEqual([]);
  return id;
};

const changes = (ids: readonly string[]): SentBatch => ({
  patch: ids.map((id) => ({ id, end_time: "2026-11-21T09:00:01Z" })),
});

test("a request looks up at most 20 traces and 32 MiB to place runs, and tells about each run in another one", async () => {
  const small = await inTurn(
    listOf(22, () => 0),
    () => storedRun(0),
  );
  const large = await inTurn(
    listOf(9, () => 0),
    () => storedRun(4_000_000),
  );

  const changed = await importing(changes(small), { project: first });
  const changedLarge = await importing(changes(large), { project: first });

  expect(changed).toEqual(Array(2).fill(expect.stringContaining("look up 20 traces")));
  // Seven of 4 MB are read.
  expect(changedLarge).toEqual(Array(2).fill(expect.stringContaining("32 MiB")));
});

test("a request without a project searches 20 traces in 100 projects, and tells about each run in another one", async () => {
  const ids = listOf(25, () => randomUUID());
  const post = ids.map((id) => ({ id, trace_id: id, name: "x", start_time: at }));

  const flaws = await importing({ post });
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

  const flaws = await importing(
    { post: [run(root, null), run(child, root), run(grandchild, child)] },
    { project: first },
  );
  const stored = await traceReader(database).get(first.id, root);

  expect(flaws).toEqual([]);
  expect(stored?.trace.spans.map(({ span_id }) => span_id).toSorted()).toEqual([root, child, grandchild].toSorted());
});
