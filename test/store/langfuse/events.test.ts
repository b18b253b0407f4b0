import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { uuidInProject } from "../../../lib/domain/access/identity.ts";
import { invalid } from "../../../lib/domain/refusal.ts";
import { defaultStartBounds, tooManySpansDetail } from "../../../lib/domain/traces/limits.ts";
import { noMasking } from "../../../lib/domain/masking/rules.ts";
import { eventImporter } from "../../../lib/handlers/langfuse/import-events.ts";
import { langfuseScoreSource } from "../../../lib/langfuse/score-of.ts";
import { traceScoreList } from "../../../lib/store/scores/of-trace.ts";
import { externalIdKey } from "../../../lib/domain/traces/telemetry.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { traceRemoval } from "../../../lib/store/traces/removal.ts";
import { maskedTraces } from "../../../lib/store/traces/masked.ts";
import { traceStore, type Traces } from "../../../lib/store/traces/save.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

type Body = Readonly<Record<string, unknown>>;
const at = "2026-11-21T09:00:00Z";
const event = (id: string, type: string, body: Body, timestamp = at) => ({ id, type, timestamp, body });

/** A project that Langfuse's events are sent to. */
const sender = (stores: Partial<Traces> = {}) => {
  const project = {
    id: randomUUID(),
    organizationId: randomUUID(),
    name: "shop",
    metadata_keys: [],
    masking: noMasking,
  };
  const importEvents = eventImporter(
    database,
    maskedTraces({ ...traceStore(database, 0), ...stores }),
    defaultStartBounds,
  );
  const principal = { kind: "key", keyId: randomUUID(), organizationId: project.organizationId } as const;
  return {
    project: project.id,
    /** @returns the ids of stored events, the flaws of the others by their ids, and the warnings. */
    send: async (...batch: readonly unknown[]) => {
      const warnings: string[] = [];
      const warn = (warning: string): void => void warnings.push(warning);
      const request = { principal, keyAccess: "full", project, idFor: () => randomUUID(), warn } as const;
      const { successes, errors } = await importEvents(batch, request);
      return {
        stored: successes.map(({ id }) => id),
        refused: Object.fromEntries(errors.map(({ id, status, message }) => [id, `${status} ${message}`])),
        warnings,
      };
    },
    traceOf: async (text: string) =>
      (await traceReader(database).get(project.id, uuidInProject(project.id, text)))?.trace,
    scoresOf: async (text: string) => {
      const scores = [];
      const target_id = uuidInProject(project.id, text);
      for await (const score of traceScoreList(database).ofTarget(project.id, { target_id })) scores.push(score);
      return scores;
    },
  };
};

const noTrace = expect.stringMatching(/^400 traceId: /u);

test.each<[name: string, events: readonly unknown[], refused: Readonly<Record<string, unknown>>, spans: Body]>([
  [
    "updates that follow a create without a trace are in its trace",
    [event("1", "span-update", { id: "a", output: "x" }), event("2", "span-create", { id: "a", name: "n" })],
    {},
    { a: { a: { name: "n", output: "x" } } },
  ],
  [
    "an update is in the trace that another event names for its observation",
    [event("1", "span-update", { id: "a", output: "x" }), event("2", "span-update", { id: "a", traceId: "t" })],
    {},
    { t: { a: { output: "x" } } },
  ],
  [
    "an update of which nothing is known is refused alone",
    [event("1", "span-update", { id: "a" }), event("2", "event-create", { id: "b", traceId: "t" })],
    { 1: noTrace },
    { t: { b: { started_at: "2026-11-21T09:00:00+00:00", ended_at: "2026-11-21T09:00:00+00:00" } } },
  ],
  [
    "a body without an id has that of its event",
    [event("1", "span-create", { id: "", traceId: "t", name: "n" })],
    {},
    { t: { 1: { name: "n" } } },
  ],
  [
    "a type is read in any case, and one that only begins like a type is refused",
    [
      event("1", "observation-create", { id: "a", traceId: "t", type: "GENERATION" }),
      event("2", "span-created", { id: "b", traceId: "t" }),
      { ...event("3", "", {}), type: 5 },
    ],
    { 2: "400 type: span-created is no type of an event.", 3: expect.stringMatching(/^400 type: /u) },
    { t: { a: { kind: "LLM" } } },
  ],
  [
    "counts of another unit than tokens are no usage, and of an unnamed unit they are",
    [
      event("1", "generation-create", { id: "a", traceId: "t", usage: { input: 5, unit: "CHARACTERS" } }),
      event("2", "generation-create", { id: "b", traceId: "t", usage: { input: 5 } }),
    ],
    {},
    {
      t: {
        a: {
          token_usage: null,
          metadata: { "otel.attributes": { "langfuse.observation.usage": { unit: "CHARACTERS" } } },
        },
        b: { token_usage: { prompt_tokens: 5 } },
      },
    },
  ],
  [
    "the earlier of two starts and the last name count, in the order of the events' times",
    [
      event("1", "span-create", { id: "a", traceId: "t", name: "later" }, "2026-11-21T09:00:05Z"),
      event("2", "span-create", { id: "a", traceId: "t", name: "earlier", startTime: at }, "2026-11-21T09:00:01Z"),
    ],
    {},
    { t: { a: { name: "later", started_at: "2026-11-21T09:00:00+00:00" } } },
  ],
])("%s", async (_name, events, refused, spansByTrace) => {
  const { send, traceOf } = sender();

  const outcome = await send(...events);

  expect(outcome.refused).toEqual(refused);
  expect(outcome.stored).toHaveLength(events.length - Object.keys(refused).length);
  for (const [text, spans] of Object.entries(spansByTrace)) {
    const trace = await traceOf(text);
    const stored = trace?.spans.map((span) => [span.metadata[externalIdKey], span] as const);
    expect(Object.fromEntries(stored ?? [])).toMatchObject(Object(spans));
  }
});

test("a trace sent with its start has that, before and after its observations arrive", async () => {
  const { send, traceOf } = sender();
  await send(event("1", "trace-create", { id: "t", timestamp: "2026-11-21T08:00:00Z" }, at));
  await send(event("2", "span-create", { id: "a", traceId: "t", startTime: at }));

  expect(await traceOf("t")).toMatchObject({ started_at: "2026-11-21T08:00:00+00:00" });
});

test("events of a deleted trace have the status 404, and its score too", async () => {
  const { project, send } = sender();
  await send(event("1", "trace-create", { id: "t" }));
  await traceRemoval(database).remove(project, uuidInProject(project, "t"));

  const { stored, refused } = await send(
    event("2", "trace-create", { id: "t" }),
    event("3", "span-create", { id: "a", traceId: "t" }),
    event("4", "score-create", { traceId: "t", name: "q", value: 1 }),
    event("5", "trace-create", { id: "u" }),
  );

  expect(stored).toEqual(["5"]);
  expect(Object.values(refused)).toEqual(Array(3).fill(expect.stringMatching(/^404 .*trace_deleted/u)));
});

test.each([
  ["is full the top span and the trace's fields are stored", tooManySpansDetail, ["2", "3"]],
  ["is refused for another reason nothing is stored", "No.", []],
])("of a trace that %s, and each event is told of its own", async (_name, reason, expectedIds) => {
  const { saveKnown } = traceStore(database, 0);
  const { send, traceOf } = sender({
    // As of a trace with the maximum number of spans, in which there is room for its root.
    saveKnown: async (project, trace, ...others) => {
      if ((trace.spans ?? []).length > 1) throw invalid(["body"], reason);
      await saveKnown(project, trace, ...others);
    },
  });
  const child = { parentObservationId: "root", traceId: "t" };

  const { stored, refused, warnings } = await send(
    event("1", "span-create", { id: "a", ...child }),
    event("2", "trace-create", { id: "t", name: "set", tags: ["x".repeat(256)] }),
    event("3", "span-create", { id: "root", traceId: "t", name: "top" }),
    event("4", "span-create", { id: "b", traceId: "t", startTime: "1999-01-01T00:00:00Z" }),
  );

  expect(stored).toEqual(expectedIds);
  expect(refused).toMatchObject({ 1: `400 ${reason}`, 4: expect.stringContaining("A trace may start from") });
  expect(warnings).toEqual(["Cut to 255 characters: tags."]);
  const spans = (await traceOf("t"))?.spans.map(({ name }) => name);
  expect(spans).toEqual(expectedIds.length > 0 ? ["top"] : undefined);
});

test("of a request at most 20 traces are looked up for updates, and 500 scores read", async () => {
  const { send } = sender();
  const ids = Array.from({ length: 22 }, (_, index) => `o${index}`);
  await send(...ids.map((id) => event(id, "span-create", { id, name: "n" })));
  const updates = ids.map((id) => event(id, "span-update", { id, output: "x" }));
  const scores = Array.from({ length: 501 }, (_, index) => event(`s${index}`, "score-create", { traceId: "o0" }));

  const { stored, refused } = await send(...updates, ...scores);

  expect(stored).toHaveLength(20);
  expect(refused).toMatchObject({ o20: noTrace, o21: noTrace, s500: expect.stringMatching(/^413 /u) });
  expect(Object.values(refused).filter((flaw) => flaw.startsWith("400 name: "))).toHaveLength(500);
});

test.each<[name: string, score: Body, expected: Body | string]>([
  ["the number 1 as a boolean", { value: 1, dataType: "BOOLEAN" }, { value: "true", data_type: "BOOLEAN" }],
  ["the text 1 as a boolean", { value: "1", dataType: "BOOLEAN" }, { value: "true", data_type: "BOOLEAN" }],
  ["the text 0 as a boolean", { value: "0", dataType: "BOOLEAN" }, { value: "false", data_type: "BOOLEAN" }],
  ["a truth value as a number", { value: true, dataType: "NUMERIC" }, { value: "1", data_type: "NUMERIC" }],
  ["a truth value", { value: false }, { value: "false", data_type: "BOOLEAN" }],
  ["a text", { value: "good", dataType: "TEXT" }, { value: "good", data_type: "CATEGORICAL" }],
  ["the SDK's default environment", { value: 1, environment: "default" }, { metadata: {} }],
  ["an environment", { value: 1, environment: "prod" }, { metadata: { "langfuse.environment": "prod" } }],
  ["metadata that are no object", { value: 1, metadata: 7 }, { metadata: { metadata: 7 } }],
  ["a key's annotation", { value: 1, source: "ANNOTATION" }, { source: "PROGRAMMATIC" }],
  ["a correction", { value: "x", dataType: "CORRECTION" }, "400 dataType: Corrections are not supported."],
  [
    "a run's score",
    { value: 1, datasetRunId: "r" },
    "400 datasetRunId: A score of a dataset run names neither a trace nor a session.",
  ],
  ["no target", { value: 1, traceId: "" }, expect.stringMatching(/^400 traceId: /u)],
])("%s in a score", async (_name, body, expected) => {
  const { send, scoresOf } = sender();

  const outcome = await send(event("1", "score-create", { traceId: "t", name: "q", ...body }));

  const isStored = typeof expected === "object" && !("asymmetricMatch" in expected);
  expect(outcome.refused).toEqual(isStored ? {} : { 1: expected });
  const storedScore = expect.objectContaining(Object(expected));
  expect(await scoresOf("t")).toEqual(isStored ? [storedScore] : []);
});

test("the source of a person's score is the one that it tells", () => {
  const sourceOf = (source: string | null) =>
    langfuseScoreSource.parse({ traceId: "t", name: "q", value: 1, source }, "");

  expect(sourceOf("ANNOTATION")).toMatchObject({ score: { source: "ANNOTATION" } });
  expect(sourceOf("API")).toMatchObject({ score: { source: "PROGRAMMATIC" } });
  expect(sourceOf(null)).toMatchObject({ score: { source: "PROGRAMMATIC" } });
});
