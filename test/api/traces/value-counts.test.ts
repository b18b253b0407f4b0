import { randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import { getTraceAnalytics } from "../../../lib/contract/traces/analytics.ts";
import { createTraces } from "../../../lib/contract/traces/batch.ts";
import { createSpans } from "../../../lib/contract/traces/changes.ts";
import { listTraces } from "../../../lib/contract/traces/traces.ts";
import { valueFields } from "../../../lib/domain/analytics/value-counts.ts";
import { newProject } from "../../support/service/client.ts";
import { expectStatus } from "../../support/reply-shape.ts";

const project = newProject(inject("service"));

const day = "2026-10-05";
const range = { started_after: day, started_before: "2026-10-06" };
const at = (minute: number): string => `${day}T10:${String(minute).padStart(2, "0")}:00Z`;

const tools = ["search", "refund", "mail"] as const;

const traces = Array.from({ length: 24 }, (_, index) => ({
  trace_id: randomUUID(),
  name: `agent ${index % 3}`,
  status: index % 4 === 0 ? "ERROR" : "COMPLETED",
  started_at: at(index),
  user_id: `user ${index % 5}`,
  session_id: index % 2 === 0 ? `session ${index % 7}` : null,
  tags: index % 3 === 0 ? ["eu", "vip"] : ["eu"],
  release: index % 6 === 0 ? null : `r${index % 2}`,
  environment: "production",
  spans: [
    {
      name: "answer",
      kind: "LLM",
      started_at: at(index),
      model: `model ${index % 2}`,
      metadata: { "otel.prompt_name": `prompt ${index % 2}`, "otel.experiment": "nightly" },
    },
    {
      name: tools[index % 3],
      kind: "TOOL",
      started_at: at(index),
      error: index % 3 === 2 ? null : `${tools[index % 3]} is\n down ${"!".repeat(200)}`,
    },
  ],
}));

test("the values of every field are counted, each as often as a list that filters by it has traces", async () => {
  await project.answer(createTraces, { body: { traces } });
  for (const by of valueFields) {
    const counts = await project.answer(getTraceAnalytics, { query: { metric: "values", by, ...range } });
    expect([by, counts]).not.toEqual([by, []]);
    for (const count of counts) {
      if (!("value" in count)) throw new Error("The reply has no values.");
      const query = { ...range, [by]: count.value };
      const all = await project.answer(listTraces, { query });
      const failed = await project.answer(listTraces, { query: { ...query, status: "ERROR" } });
      // A filter of the name matches parts of it, and no name is part of another one here.
      expect([by, count.value, count.trace_count, count.error_count]).toEqual([
        by,
        count.value,
        all.total,
        failed.total,
      ]);
    }
  }
  const query = { metric: "values", by: "model", ...range, tags: "vip" };
  expect(await project.answer(getTraceAnalytics, { query })).toEqual([
    { value: "model 0", trace_count: 4, error_count: 2 },
    { value: "model 1", trace_count: 4, error_count: 0 },
  ]);
  const unread = await project.call(getTraceAnalytics, { query: { metric: "volume", by: "model" } });
  expect(unread.headers["x-warnings"]).toContain("`by` is ignored");
  expectStatus(await project.call(getTraceAnalytics, { query: { metric: "values" } }), 422);
  expectStatus(await project.call(getTraceAnalytics, { query: { metric: "values", by: "input" } }), 422);
});

test("a list has the message of the span that failed first, also of spans that arrive later", async () => {
  const [id, started_at] = [randomUUID(), "2026-10-07T10:00:30Z"];
  const errorOf = async () =>
    (await project.answer(listTraces, { query: { started_after: "2026-10-07" } })).items[0]?.first_error;
  const send = (span: object) => project.answer(createSpans, { params: { trace_id: id }, body: [{ ...span }] });
  await project.answer(createTraces, {
    body: { traces: [{ trace_id: id, name: "late", started_at, spans: [{ name: "first", started_at }] }] },
  });
  expect(await errorOf()).toBeUndefined();
  await send({ name: "second", started_at, error: "later" });
  expect(await errorOf()).toBe("later");
  await send({ name: "third", started_at: "2026-10-07T10:00:31Z", error: "after both" });
  expect(await errorOf()).toBe("later");
  await send({ name: "fourth", started_at: "2026-10-07T10:00:29Z", error: " one\n line " });
  expect(await errorOf()).toBe("one line");
});
