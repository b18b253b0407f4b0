import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Principal } from "../../../lib/domain/access/principal.ts";
import { Refusal } from "../../../lib/domain/refusal.ts";
import { importedScoreIds } from "../../../lib/domain/scores/imported-score.ts";
import type { TraceScore } from "../../../lib/domain/scores/score.ts";
import { noMasking } from "../../../lib/domain/masking/rules.ts";
import { feedbackUpdater } from "../../../lib/handlers/langsmith/update-feedback.ts";
import { scoreCreation } from "../../../lib/store/scores/creation.ts";
import { traceScoreList } from "../../../lib/store/scores/of-trace.ts";
import { saveTraces } from "../../support/traces/save-traces.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { someScore } from "../../support/scores.ts";
import { someTrace } from "../../support/traces/traces.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const organizationId = randomUUID();
const program: Principal = { kind: "key", keyId: randomUUID(), organizationId };
const person: Principal = { kind: "user", userId: randomUUID() };
const before = { value: "1", reason: "Good.", metadata: { a: 1, b: 1 }, source: "ANNOTATION" } as const;

/** Stores a feedback, changes it once, and returns what is stored and the refusal or the warnings. */
const changed = async (
  change: Readonly<Record<string, unknown>>,
  {
    by = program,
    fields = {},
    derivation = "present",
  }: { by?: Principal; fields?: Partial<TraceScore>; derivation?: "present" | "earlier" } = {},
) => {
  const [project, trace] = [
    { id: randomUUID(), organizationId, name: "shop", metadata_keys: [], masking: noMasking },
    someTrace(),
  ];
  await saveTraces(database, project.id, [trace]);
  const id = importedScoreIds(project.id, "langsmith-feedback", "feedback 1")[derivation];
  const target = { project_id: project.id, trace_id: trace.trace_id };
  await scoreCreation(database).ofTrace(someScore({ ...target, id, ...before, ...fields }));
  const warnings: string[] = [];
  const outcome = await feedbackUpdater(database)("feedback 1", change, {
    principal: by,
    keyAccess: "full",
    organizationId,
    parentProject: null,
    project,
    projectFor: async () => project,
    warn: (warning) => void warnings.push(warning),
  }).then(
    () => warnings,
    (error: unknown) => {
      if (!(error instanceof Refusal)) throw error;
      return error.reason.kind;
    },
  );
  const scores = [];
  for await (const score of traceScoreList(database).ofTarget(project.id, { target_id: trace.trace_id }))
    scores.push(score);
  return { outcome, scores };
};

test.each<[name: string, change: object, options: NonNullable<Parameters<typeof changed>[1]>, score: object]>([
  ["a value", { score: 0.5 }, {}, { ...before, value: "0.5", data_type: "NUMERIC", source: "PROGRAMMATIC" }],
  ["another type of value", { value: "bad" }, {}, { value: "bad", data_type: "CATEGORICAL" }],
  ["a comment", { comment: "Bad." }, {}, { value: "1", reason: "Bad." }],
  ["metadata", { extra: 2 }, {}, { value: "1", reason: "Good.", metadata: { a: 1, b: 1, "langsmith.extra": 2 } }],
  ["a value by a key", { score: 0 }, {}, { source: "PROGRAMMATIC", author_user_id: null }],
  [
    "a value by a person",
    { score: 0 },
    { by: person },
    { source: "ANNOTATION", author_user_id: Object(person).userId },
  ],
  ["an edited value", { score: 0 }, { fields: { author_user_id: "leo" } }, { author_user_id: null }],
  ["a value under an id of an earlier release", { score: 0 }, { derivation: "earlier" }, { value: "0" }],
])("a change of %s leaves the rest, and keeps what was before", async (_name, change, options, expected) => {
  const { outcome, scores } = await changed({ ...change }, options);

  expect(outcome).toEqual([]);
  expect(scores).toMatchObject([
    { ...expected, original: { value: "1", reason: "Good.", source: "ANNOTATION", metadata: before.metadata } },
  ]);
  expect(scores[0]?.updated_at).not.toBe(someScore({ project_id: "", trace_id: "" }).updated_at);
});

test.each<[name: string, change: object, fields: Partial<TraceScore>, kind: string]>([
  ["of a score that an evaluation made", { score: 0 }, { eval_run_id: randomUUID() }, "not-found"],
  ["to what is no category", { value: "NaN" }, {}, "invalid"],
  [
    "to more metadata than a score has",
    { extra: "x".repeat(40_000) },
    { metadata: { a: "x".repeat(40_000) } },
    "invalid",
  ],
  ["to nothing", { score: null }, {}, "invalid"],
])("a change %s changes nothing", async (_name, change, fields, kind) => {
  const { outcome, scores } = await changed({ ...change }, { fields });

  expect(outcome).toBe(kind);
  expect(scores).toMatchObject([{ ...before, ...fields, original: null }]);
});

test("what is cut of a change is told", async () => {
  const { outcome, scores } = await changed({ comment: "c".repeat(16_385) });

  expect(outcome).toEqual(["Cut to 16384 characters: comment."]);
  expect(scores[0]?.reason).toHaveLength(16_384);
});
