import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { IngestProject } from "../../../lib/domain/access/principal.ts";
import type { ProjectReference } from "../../../lib/domain/access/project-reference.ts";
import { Refusal } from "../../../lib/domain/refusal.ts";
import { defaultStartBounds } from "../../../lib/domain/traces/limits.ts";
import { itemsOf } from "../../../lib/dynamo/items.ts";
import { noMasking } from "../../../lib/domain/masking/rules.ts";
import { batchImporter, type SentBatch } from "../../../lib/handlers/langsmith/import-batch.ts";
import { traceScoreList } from "../../../lib/store/scores/of-trace.ts";
import { projectItems } from "../../../lib/store/access/project-writes.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { maskedTraces } from "../../../lib/store/traces/masked.ts";
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
  masking: noMasking,
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
  projects.find((project) => reference !== null && project[reference.kind] === Object(reference)[reference.kind]) ??
  first;

/** Stores a batch and returns the messages about items that are not stored. */
const importing = async (
  batch: SentBatch,
  scope: { readonly project?: IngestProject } = {},
): Promise<readonly string[]> => {
  const importBatch = batchImporter(database, maskedTraces(traceStore(database, 0)), defaultStartBounds);
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
      return error.reason.kind === "invalid"
        ? error.reason.violations.map(({ msg }) => msg)
        : [`${error.reason.kind}: ${error.reason.detail}`];
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

  const flaws = await importing({ post, feedback: [{ run_id: randomUUID(), key: "good", score: 1 }] });
  const stored = await inTurn(ids, (id) => traceReader(database).get(first.id, id));

  expect(flaws).toEqual(Array(6).fill(expect.stringContaining("names no project")));
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

const later = "2026-11-21T09:00:01Z";

/** Stores a trace of a root and a tool call in it, and returns both ids. */
const storedChild = async () => {
  const [root, child] = [randomUUID(), randomUUID()];
  const run = (id: string, fields: object) => ({ id, trace_id: root, name: "agent", start_time: at, ...fields });
  const tool = { parent_run_id: root, name: "search", run_type: "tool", start_time: later, inputs: { q: "x" } };
  await importing({ post: [run(root, { run_type: "chain" }), run(child, tool)] }, { project: first });
  return { root, child };
};

test.each<[told: string, place: (ids: { root: string }) => object, isStored: boolean]>([
  ["its trace", ({ root }) => ({ trace_id: root }), true],
  ["its parent, the root", ({ root }) => ({ parent_run_id: root }), true],
  ["its trace and a parent", ({ root }) => ({ trace_id: root, parent_run_id: root }), true],
  ["its trace, its type and null for a name", ({ root }) => ({ trace_id: root, run_type: "tool", name: null }), true],
  ["its trace, start and name", ({ root }) => ({ trace_id: root, start_time: later, name: "search" }), true],
  ["nothing but itself", () => ({}), false],
  ["all but its trace", () => ({ start_time: later, name: "search", run_type: "tool" }), false],
  ["another trace", () => ({ trace_id: randomUUID() }), false],
])(
  "a change of a child that tells %s keeps its name, type, parent and start, or is refused",
  async (_name, place, isStored) => {
    const ids = await storedChild();
    const change = { id: ids.child, end_time: "2026-11-21T09:00:02Z", outputs: { output: "found" }, ...place(ids) };

    const flaws = await importing({ patch: [change] }, { project: first });
    const stored = await traceReader(database).get(first.id, ids.root);
    const lone = await traceReader(database).get(first.id, ids.child);

    const refusal = expect.stringMatching(/^not-found: The trace \S+ has no such run/u);
    expect(flaws).toEqual(isStored ? [] : [refusal]);
    expect(lone).toBeNull();
    expect(stored?.trace).toMatchObject({ name: "agent", status: "RUNNING", input: null, output: null });
    expect(stored?.trace.spans.find(({ span_id }) => span_id === ids.child)).toMatchObject({
      name: "search",
      kind: "TOOL",
      parent_span_id: ids.root,
      started_at: "2026-11-21T09:00:01+00:00",
      ended_at: isStored ? "2026-11-21T09:00:02+00:00" : null,
      input: { q: "x" },
      output: isStored ? "found" : null,
    });
  },
);

const early = [expect.stringMatching(/^rate-limited: .* has not arrived yet/u)];
const ofRun = (trace_id: string, id: string, start_time = at) => ({
  id,
  trace_id,
  name: "x",
  start_time,
  session_id: first.id,
});

test.each<
  [
    name: string,
    sent: (root: string, run: string) => SentBatch,
    isScoped: boolean,
    flaws: readonly string[],
    isStored: boolean,
  ]
>([
  ["with its trace, in one project", (trace_id, run_id) => ({ feedback: [{ trace_id, run_id }] }), true, [], true],
  ["without a trace, in one project", (_root, run_id) => ({ feedback: [{ run_id }] }), true, early, false],
  ["with its trace", (trace_id, run_id) => ({ feedback: [{ trace_id, run_id }] }), false, early, false],
  [
    "with its trace and project",
    (trace_id, run_id) => ({ feedback: [{ trace_id, run_id, session_id: first.id }] }),
    false,
    [],
    true,
  ],
  [
    "without a trace, with its project",
    (_root, run_id) => ({ feedback: [{ run_id, session_id: first.id }] }),
    false,
    early,
    false,
  ],
  [
    "with a run of its trace in the request",
    (trace_id, run_id) => ({ post: [ofRun(trace_id, run_id)], feedback: [{ trace_id, run_id }] }),
    false,
    [],
    true,
  ],
  [
    "with a run in the request that is refused",
    (run_id) => ({ post: [ofRun(run_id, run_id, "1999-01-01T00:00:00Z")], feedback: [{ run_id }] }),
    false,
    [expect.stringContaining("A trace may start from")],
    true,
  ],
])("feedback before its run, %s", async (_name, sent, isScoped, expectedFlaws, isStored) => {
  const [root, run] = [randomUUID(), randomUUID()];
  const { feedback, ...batch } = sent(root, run);
  const complete = (feedback ?? []).map((each) => Object.assign({ key: "good", score: 1 }, each));

  const flaws = await importing({ ...batch, feedback: complete }, isScoped ? { project: first } : {});
  const scores = [];
  for await (const score of traceScoreList(database).ofTarget(first.id, { target_id: root })) scores.push(score);

  expect(flaws).toEqual(expectedFlaws);
  expect(scores).toMatchObject(isStored ? [{ name: "good" }] : []);
});

test("feedback of a run alone is stored in the project that has the run, and in one that it names only if that has it", async () => {
  const [, second] = projects;
  const run_id = randomUUID();
  await importing({ post: [{ ...ofRun(run_id, run_id), session_id: second?.id }] });
  const sent = (key: string, fields: object) => importing({ feedback: [{ key, score: 1, run_id, ...fields }] });

  const flaws = [
    await sent("unnamed", {}),
    await sent("named", { session_id: second?.id }),
    await sent("elsewhere", { session_id: first.id }),
  ];
  const names = [];
  const scores = traceScoreList(database).ofTarget(second?.id ?? "", { target_id: run_id });
  for await (const { name } of scores) names.push(name);

  expect(flaws).toEqual([[], [], early]);
  expect(names.toSorted()).toEqual(["named", "unnamed"]);
});

test("a request names at most 20 projects, however often each", async () => {
  const ids = projects.slice(0, 21).map((project) => project.id);
  const post = [...ids, ...ids].map((session_id) => {
    const id = randomUUID();
    return Object.assign(ofRun(id, id), { session_id });
  });

  expect(await importing({ post })).toEqual(Array(2).fill(expect.stringContaining("at most 20 projects")));
});

test("the runs of a trace are in the project that one of them names, by its name before its id", async () => {
  const [, second, third] = projects;
  const [root, child] = [randomUUID(), randomUUID()];
  const { session_id: _, ...run } = ofRun(root, child);

  const flaws = await importing({
    post: [
      { ...run, id: root, session_name: second?.name, session_id: third?.id },
      { ...run, parent_run_id: root },
    ],
  });

  expect(flaws).toEqual([]);
  expect((await traceReader(database).get(second?.id ?? "", root))?.trace.spans).toHaveLength(2);
});

test("several changes of missing runs are named in one refusal", async () => {
  const [one, two] = [randomUUID(), randomUUID()];

  const flaws = await importing(changes([one, two]), { project: first });

  expect(flaws).toEqual([one, two].map((id) => expect.stringMatching(`^The trace ${id} has no such run`)));
});
