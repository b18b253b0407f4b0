import { expect, inject, test } from "vitest";
import { getTraceScoreSummary } from "../../../lib/contract/scores/analytics.ts";
import { createTraceScore, listTraceScores } from "../../../lib/contract/scores/trace-scores.ts";
import { previewAlert } from "../../../lib/contract/monitors/alert-preview.ts";
import { createAlert } from "../../../lib/contract/monitors/alerts.ts";
import { createTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { newProject } from "../../support/service/client.ts";
import { eventually } from "../../support/service/local-fixture.ts";
import { someTrace } from "../../support/traces/traces.ts";

const service = inject("service");

test("thumbs have a mean, an order and alerts; categories have counts, and rules and orders by them are warned of", async () => {
  const client = newProject(service);
  const thumbs = ["true", "false", "false", "false"];
  for (const value of thumbs) {
    const { trace_id } = await client.answer(createTrace, { body: someTrace({ release: "r1" }) });
    await client.answer(createTraceScore, { body: { trace_id, name: "thumb", value } });
    const tone = value === "true" ? "warm" : "cold";
    await client.answer(createTraceScore, { body: { trace_id, name: "tone", value: tone, data_type: "CATEGORICAL" } });
  }
  const summaryOf = async (query: object) => (await client.answer(getTraceScoreSummary, { query: { ...query } }))[0];
  const thumb = await eventually(async () => {
    const summary = await summaryOf({ metric_name: "thumb" });
    return summary?.success_count === thumbs.length ? summary : undefined;
  });
  const counts = [
    { value: "cold", count: 3 },
    { value: "warm", count: 1 },
  ];
  await eventually(async () => (await summaryOf({ metric_name: "tone" }))?.values?.[0]?.count === 3 || undefined);
  const rule = { name: "x", signal: "score_mean", window: "5m", threshold: 0.5, minimum_count: 1, significance: false };
  const ofRule = (route: typeof previewAlert | typeof createAlert, metric_name: string, changes: object = {}) =>
    client.call(route, { body: { ...rule, metric_name, ...changes } });
  const sorted = (metric: string) => client.call(listTraces, { query: { sort_by: "score", sort_metric: metric } });

  expect(thumb).toMatchObject({ avg_score: 0.25, min_score: 0, max_score: 1 });
  expect(await summaryOf({ metric_name: "thumb", release: "r1" })).toMatchObject({ mean: { value: 0.25 } });
  expect(await summaryOf({ metric_name: "tone" })).toMatchObject({ avg_score: null, values: counts });
  expect(await summaryOf({ metric_name: "tone", release: "r1" })).toMatchObject({ values: counts });
  expect((await client.answer(listTraceScores, { query: { name: "thumb", sort_by: "value" } })).items[0]?.value).toBe(
    "true",
  );
  expect((await client.answer(listTraceScores, { query: { name: "thumb", max_value: "0.5" } })).total).toBe(3);
  const noNumber = { headers: { "x-warnings": expect.stringContaining("have no number") as unknown } };
  for (const route of [previewAlert, createAlert]) {
    const [ofNumbers, ofCategories] = [await ofRule(route, "thumb"), await ofRule(route, "tone")];
    expect(ofNumbers.headers).not.toHaveProperty("x-warnings");
    expect(ofCategories).toMatchObject(noNumber);
    const share = { signal: "score_is", category: "cold" };
    expect((await ofRule(route, "tone", share)).headers).not.toHaveProperty("x-warnings");
    const noCategory = {
      headers: { "x-warnings": expect.stringContaining("No score of thumb is a category") as unknown },
    };
    expect(await ofRule(route, "thumb", share)).toMatchObject(noCategory);
  }
  expect(await sorted("tone")).toMatchObject(noNumber);
  expect((await sorted("thumb")).headers).not.toHaveProperty("x-warnings");
});
