import { randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import { listLabelItems } from "../../../lib/contract/labels/label-items.ts";
import { createLabelSet } from "../../../lib/contract/labels/label-sets.ts";
import { getTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { judgeIdentity } from "../../../lib/domain/scores/score.ts";
import { scoreCreation } from "../../../lib/store/scores/creation.ts";
import { newLabelSet, storeTraces } from "../../support/labels.ts";
import { problems } from "../../support/reply-shape.ts";
import { someScore } from "../../support/scores.ts";
import { newProject } from "../../support/service/client.ts";
import { eventually } from "../../support/service/local-fixture.ts";
import { databaseAt } from "../../support/service/service-database.ts";

const service = inject("service");
const scores = scoreCreation(databaseAt(inject("storage")));

/** Stores traces, each with a verdict of a decision model by its place; the last two have none. */
const judgedTraces = async () => {
  const project = newProject(service);
  const traces = await storeTraces(project, 32);
  const { project_id } = await project.answer(getTrace, { params: { trace_id: traces[0] ?? "" } });
  for (const [at, trace_id] of traces.slice(0, 30).entries()) {
    const value = ((at * 7) % 30) / 30;
    const metadata = { confidence: ((at * 11) % 30) / 30, success: value >= 0.5, threshold: 0.5 };
    const judge = judgeIdentity("openai-decisions/gpt-6-luna", "1");
    const fields = { project_id, trace_id, name: "helpful", value: String(value), judge, metadata };
    await scores.ofTrace({ ...someScore(fields), source: "AUTOMATED", id: randomUUID() });
  }
  // Newest scores lag writes by moments.
  const query = { score: "helpful>=0" };
  await eventually(async () => ((await project.answer(listTraces, { query })).total === 30 ? true : undefined));
  return { project, traces };
};

const drawnBy = async ({ project, traces }: Awaited<ReturnType<typeof judgedTraces>>, draw: string) => {
  const { id: set_id } = await newLabelSet(project, { draw, size: 20, by: "helpful" });
  const { items } = await project.answer(listLabelItems, { params: { set_id }, query: { limit: 100 } });
  return items.map(({ trace_id }) => traces.indexOf(trace_id));
};

test("a set draws what is lowest, least certain, or as often passing as failing, of what has a verdict", async () => {
  const world = await judgedTraces();
  const ranked = (factor: number) =>
    Array.from({ length: 30 }, (_, at) => at)
      .toSorted((a, b) => ((a * factor) % 30) - ((b * factor) % 30))
      .slice(0, 20);

  const sorted = (places: readonly number[]) => places.toSorted((a, b) => a - b);
  const lowest = await drawnBy(world, "lowest");
  expect(sorted(lowest)).toEqual(sorted(ranked(7)));
  // The place of an item tells nothing of its verdict.
  expect(lowest).not.toEqual(ranked(7));
  expect(sorted(await drawnBy(world, "uncertain"))).toEqual(sorted(ranked(11)));
  const stratified = await drawnBy(world, "stratified");
  expect(stratified.filter((at) => (at * 7) % 30 >= 15)).toHaveLength(10);
  const reply = await world.project.call(createLabelSet, {
    body: { name: "x", metrics: [{ name: "task_completion" }], draw: "lowest" },
  });
  expect(problems(reply)).toEqual(["body.filters"]);
  const [first, second] = [await drawnBy(world, "random"), await drawnBy(world, "random")];
  expect(first).not.toEqual(second);
});
