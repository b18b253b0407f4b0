import { randomUUID } from "node:crypto";
import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import fc from "fast-check";
import * as v from "valibot";
import { afterAll, beforeAll, expect, test } from "vitest";
import { namesIn, spanFactsOf } from "../../../lib/domain/traces/facts.ts";
import { rowFactsOf } from "../../../lib/domain/traces/row.ts";
import { projectNames } from "../../../lib/store/traces/facts/names.ts";
import { rowKey, rowKeyIn } from "../../../lib/store/traces/keys.ts";
import { packRow } from "../../../lib/store/traces/row-codec.ts";
import { traceReader } from "../../../lib/store/traces/reader.ts";
import { traceStore } from "../../../lib/store/traces/save.ts";
import { traceTags } from "../../../lib/store/traces/tags.ts";
import { countCapacity } from "../../bench/capacity.ts";
import { startDatabase, type TestDatabase } from "../../support/database/database.ts";
import { isOn, watchedDatabase } from "../../support/database/watched-database.ts";
import { someTrace } from "../../support/traces/traces.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.close());

const readTrace = async (project: string, id: string) => {
  const located = await traceReader(database).get(project, id);
  if (located === null) throw new Error("The trace is gone.");
  return located;
};

const started_at = "2026-10-01T10:00:00+00:00";
const aSpan = fc.record({
  span_id: fc.uuid(),
  name: fc.constantFrom("search", "lookup", "answer"),
  kind: fc.constantFrom("TOOL" as const, "LLM" as const),
  status: fc.constantFrom("OK" as const, "ERROR" as const),
  started_at: fc.constant(started_at),
  model: fc.option(fc.constantFrom("gpt-5.4", "claude")),
  token_usage: fc.option(fc.record({ prompt_tokens: fc.nat(100) })),
  cost: fc.option(fc.record({ total: fc.nat(100).map((cents) => cents / 100) })),
});

test("the facts of a row equal those of its document, however the trace was built", async () => {
  const [store, names] = [traceStore(database, 0), projectNames(database)];
  const project = randomUUID();
  await fc.assert(
    fc.asyncProperty(
      fc.uuid(),
      fc.array(fc.uniqueArray(aSpan, { minLength: 1, maxLength: 3, selector: ({ span_id: id }) => id }), {
        minLength: 1,
        maxLength: 4,
      }),
      async (trace_id, groups) => {
        const [spans, ...later] = groups;
        const id = `${trace_id.slice(0, 24)}${randomUUID().slice(24)}`;
        await store.save(project, someTrace({ trace_id: id, metadata: { tier: "gold" }, spans }), "trace", ["tier"]);
        for (const spansToAdd of later) await store.addSpans(project, id, spansToAdd, ["tier"]);

        const { row, trace } = await readTrace(project, id);
        const numbers = await names.numbers(project, namesIn(trace.spans));
        expect(row.facts).toEqual(rowFactsOf(trace, numbers, ["tier"]));
      },
    ),
    { numRuns: 15 },
  );
});

test("a change of tags keeps the facts of the row", async () => {
  const [project, trace] = [randomUUID(), someTrace({ metadata: { tier: "gold" } })];
  await traceStore(database, 0).save(project, trace, "trace", ["tier"]);
  const before = await readTrace(project, trace.trace_id);

  await traceTags(database).apply(project, before, { add: ["new"], remove: [] });

  const { row } = await readTrace(project, trace.trace_id);
  expect(row.tags).toEqual(["new"]);
  expect(row.facts).toEqual(before.row.facts);
});

test("a row without facts gets them when its trace changes", async () => {
  const [project, trace] = [randomUUID(), someTrace()];
  const store = traceStore(database, 0);
  await store.save(project, trace);
  const { row } = await readTrace(project, trace.trace_id);
  await database.client.send(
    new UpdateCommand({
      TableName: "rows",
      Key: rowKey(project, row.traceId, row),
      UpdateExpression: "SET d = :d",
      ExpressionAttributeValues: { ":d": packRow({ ...row, facts: null }) },
    }),
  );

  const formerRow = await readTrace(project, trace.trace_id);
  await store.change(project, trace.trace_id, { kind: "trace-patch", update: { output: "changed" } });

  expect(formerRow.row).toEqual({ ...row, facts: null });
  expect((await readTrace(project, trace.trace_id)).row.facts).toEqual(row.facts);
});

test("a trace whose model and tool names could not be stored is not stored", async () => {
  const [project, trace] = [randomUUID(), someTrace()];
  const failing = watchedDatabase(database, (call) =>
    isOn("UpdateItem", "rows")(call) && String(call.input["UpdateExpression"]).includes("list_append")
      ? "crash-before"
      : null,
  );

  await expect(traceStore(failing, 0).save(project, trace)).rejects.toThrow("The process has died.");

  expect(failing.calls.some(isOn("PutItem", "bodies"))).toBe(false);
  expect(await traceReader(database).get(project, trace.trace_id)).toBeNull();
});

test("the row of a trace with a long input takes one write unit, the same as without a preview", async () => {
  const [project, takeCapacity] = [randomUUID(), countCapacity(database)];
  const wide = { name: "é".repeat(200), user_id: "u".repeat(200), session_id: null, spans: [] };
  const trace = someTrace({ ...wide, release: "r".repeat(100), input: "\u{1f600}".repeat(500) });
  const store = traceStore(database, 0);
  await store.save(project, { ...trace, trace_id: randomUUID() });
  takeCapacity();

  await store.save(project, trace);

  // One unit for the pointer with its document, one for the row.
  expect(takeCapacity().write).toBe(2);
  const { Item } = await database.client.send(
    new GetCommand({ TableName: "rows", Key: rowKeyIn(project, trace.trace_id, trace.started_at, 0) }),
  );
  expect(v.parse(v.object({ d: v.instance(Uint8Array) }), Item).d.length).toBeGreaterThan(900);
  expect((await readTrace(project, trace.trace_id)).row.facts?.preview).toMatch(/^\u{1f600}{10,80}$/u);
});

test("the numbers of names are the same in every row of a project", async () => {
  const project = randomUUID();
  const processes = [traceStore(database, 0), traceStore(database, 0)];
  const llm = (model: string) => ({ span_id: randomUUID(), name: "chat", kind: "LLM" as const, model, started_at });
  const rows = await Promise.all(
    ["a", "b", "c", "a", "b", "c"].map(async (model, index) => {
      const trace = someTrace({ spans: [llm(model)] });
      await processes[index % 2]?.save(project, trace);
      return { model, row: (await readTrace(project, trace.trace_id)).row };
    }),
  );
  const { models } = await projectNames(database).list(project);

  expect(models.size).toBe(3);
  for (const { model, row } of rows) expect(row.facts?.spans.models.numbers).toEqual([models.get(model)]);
  expect(spanFactsOf([], { model: () => 0, tool: () => 0 }).models).toEqual({ numbers: [], hasMore: false });
});
