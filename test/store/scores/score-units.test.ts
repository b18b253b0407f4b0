import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { dimensionsOf } from "../../../lib/domain/scores/dimensions.ts";
import { traceFilter } from "../../../lib/domain/traces/filter.ts";
import { scoreCreation } from "../../../lib/store/scores/creation.ts";
import { traceScoreKind } from "../../../lib/store/scores/kind.ts";
import { scoreUnits } from "../../../lib/store/scores/units/read.ts";
import { scoreTargets } from "../../../lib/store/scores/units/targets.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { writeScores } from "../../support/score-items.ts";
import { scoreKeys, someScore, storedTrace } from "./score-fixture.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const project = randomUUID();
const name = "Güte, 品質";
const at = (minute: number): string => `2026-11-21T09:0${minute}:00+00:00`;

/** Three traces: the first has a score and a newer failed one, the second one score, the third one with another name. */
const store = async (): Promise<void> => {
  const [first, second, third] = await Promise.all(
    ["é", "b", "b"].map((release) => storedTrace(database, project, { release })),
  );
  const base = { project_id: project, name };
  const scores = [
    someScore({ ...base, trace_id: first ?? "", created_at: at(1), value: "0.25" }),
    someScore({ ...base, trace_id: first ?? "", created_at: at(3), value: null, status: "FAILED" }),
    someScore({ ...base, trace_id: second ?? "", created_at: at(2), value: "0.75", metadata: { success: true } }),
    someScore({ ...base, trace_id: third ?? "", created_at: at(2), name: "other" }),
    someScore({ ...base, trace_id: second ?? "", created_at: at(4), value: null, status: "PENDING" }),
  ];
  for (const score of scores) await scoreCreation(database).ofTrace(score);
};
beforeAll(store);

const dimensions = dimensionsOf(["release"], []);

const read = async (
  { isEvery = false, ...range }: { isEvery?: boolean; name?: string; date_to?: string } = {},
  ...limits: Parameters<typeof scoreUnits>[3][]
) => {
  const targets = await scoreTargets(database, "trace")(project, traceFilter({}), dimensions);
  const units = await scoreUnits(
    database,
    traceScoreKind,
    undefined,
    ...limits,
  )(project, {
    range,
    targets,
    isEvery,
    dimensions,
  });
  return units.toSorted((a, b) => (a.order < b.order ? -1 : 1));
};

test("the newest score of each trace and name counts, a failed one too, with its groups", async () => {
  expect(await read({ name })).toMatchObject([
    { name, value: 0.75, passed: true, status: "SUCCESS", groups: [["b"]] },
    { name, value: null, passed: null, status: "FAILED", groups: [["é"]] },
  ]);
  expect((await read()).map((unit) => unit.name).toSorted()).toEqual([name, name, "other"].toSorted());
});

test("only scores of the range count, and on demand every one", async () => {
  expect(await read({ name, date_to: at(3) })).toMatchObject([{ value: 0.25 }, { value: 0.75 }]);
  expect(await read({ name, isEvery: true })).toHaveLength(3);
});

test("more scores than the ceiling are refused with their count, and so are more traces", async () => {
  await expect(read({ name }, { read: 100, units: 1 })).rejects.toMatchObject({
    reason: { violations: [{ type: "too_many_rows", msg: expect.stringContaining("at most 1 scores, and 2 match") }] },
  });
  await expect(read({ name }, { read: 1, units: 100 })).rejects.toMatchObject({
    reason: { violations: [{ type: "too_many_rows", loc: ["query", "date_from"] }] },
  });
  await expect(
    scoreTargets(database, "trace", undefined, 2)(project, traceFilter({}), dimensions),
  ).rejects.toMatchObject({ reason: { violations: [{ loc: ["query", "started_after"] }] } });
});

test("a person's score counts before a later one about the same content, and after one about newer content", async () => {
  const target = (content_version: number, trace_version = content_version) => ({ trace_version, content_version });
  const [personProject, random] = [randomUUID(), () => ({ project_id: personProject, trace_id: randomUUID(), name })];
  const [same, tagged, older, unknown] = [random(), random(), random(), random()];
  const scores = [
    // Tags were added between the two scores.
    someScore({ ...same, ...target(1), created_at: at(1), value: "0.1", source: "ANNOTATION" }),
    someScore({ ...same, ...target(1, 3), created_at: at(2), value: "0.9", source: "AUTOMATED" }),
    someScore({ ...tagged, ...target(1), created_at: at(1), value: "0.2", source: "ANNOTATION" }),
    someScore({ ...tagged, ...target(1), created_at: at(2), value: null, status: "FAILED", source: "AUTOMATED" }),
    someScore({ ...older, ...target(1, 2), created_at: at(1), value: "0.3", source: "ANNOTATION" }),
    someScore({ ...older, ...target(3), created_at: at(2), value: "0.7", source: "PROGRAMMATIC" }),
    someScore({ ...unknown, created_at: at(1), value: "0.4", source: "ANNOTATION" }),
    someScore({ ...unknown, ...target(1), created_at: at(2), value: "0.6", source: "AUTOMATED" }),
  ];
  await writeScores(database, scores, { incarnations: new Map(scores.map(({ trace_id: id }) => [id, id])) });
  const values = async (range: { source?: "AUTOMATED" | "ANNOTATION" } = {}) => {
    const query = { range, targets: null, isEvery: false, dimensions: [] };
    const units = await scoreUnits(database, traceScoreKind)(personProject, query);
    return units.map(({ value }) => value).toSorted();
  };

  expect(await values()).toEqual([0.1, 0.2, 0.6, 0.7]);
  expect(await values({ source: "AUTOMATED" })).toEqual([0.6, 0.9, null]);
  expect(await values({ source: "ANNOTATION" })).toEqual([0.1, 0.2, 0.3, 0.4]);
  for (const key of await scoreKeys(database, personProject)) {
    const [pk, sk] = key.split(" ");
    const change = { Key: { pk, sk }, UpdateExpression: "REMOVE rv" } as const;
    await database.client.send(new UpdateCommand({ TableName: database.table("scores"), ...change }));
  }
  // As an earlier build stored them, without the attribute by which they are compared.
  expect(await values()).toEqual([0.1, 0.2, 0.6, 0.7]);
});

test("scores that an earlier build stored, without a verdict attribute, count the same", async () => {
  const [newest, all] = [await read(), await read({ isEvery: true })];
  expect(new Set(all.map(({ passed }) => passed))).toEqual(new Set([true, null]));
  for (const key of (await scoreKeys(database, project)).slice(1)) {
    const [pk, sk] = key.split(" ");
    const change = { Key: { pk, sk }, UpdateExpression: "REMOVE p", ReturnValues: "UPDATED_OLD" } as const;
    await database.client.send(new UpdateCommand({ TableName: database.table("scores"), ...change }));
  }
  expect(await read()).toEqual(newest);
  expect(await read({ isEvery: true })).toEqual(all);
});
