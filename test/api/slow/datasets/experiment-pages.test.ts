import { expect, inject, test } from "vitest";
import { listExperimentItems } from "../../../../lib/contract/experiments/experiments.ts";
import { createLangfuseScores } from "../../../../lib/contract/langfuse/scores.ts";
import { experimentsByName, sendExperiment } from "../../../support/experiments.ts";
import { langfuseProgram } from "../../../support/integrations.ts";
import { eventually } from "../../../support/service/local-fixture.ts";

const service = inject("service");

test("a page of items with long scores ends early, and an item that fits into no page is refused", async () => {
  const { program, project } = langfuseProgram(service);
  const sendScored = async (items: readonly string[]) => {
    const traces = await sendExperiment(project, { "assay.experiment": "long" }, items);
    const scores = Array.from({ length: 1_200 }, (_, at) => ({
      traceId: traces[at % traces.length] ?? "",
      name: `${at} `.padEnd(1_024, '"'),
      value: '"'.repeat(255),
    }));
    for (let at = 0; at < scores.length; at += 400)
      await program.answer(createLangfuseScores, { body: scores.slice(at, at + 400) });
    return traces;
  };
  const traces = await sendScored(Array.from({ length: 20 }, (_, at) => `item ${at}`));
  const params = { experiment_id: (await experimentsByName(project, 1)).get("long")?.id ?? "" };
  const page = (query: Readonly<Record<string, string | number>>) =>
    project.call(listExperimentItems, { params, query });

  const [first, rest] = await eventually(async () => {
    const { body: begin } = await page({ limit: 20 });
    const { body: end } = await page({ cursor: begin.next_cursor ?? "" });
    return end.next_cursor === null && begin.items.length < 20 ? [begin, end] : undefined;
  });

  const read = [...first.items, ...rest.items].flatMap((item) => item.traces.map(({ trace_id: id }) => id));
  expect(read.toSorted()).toEqual(traces.toSorted());
  expect([first.total, rest.total]).toEqual([20, 20]);

  await sendScored(traces.map(() => "item 0"));
  const refusal = await eventually(async () => {
    const offset = [...first.items, ...rest.items].findIndex((item) => item.traces[0]?.trace_id === traces[0]);
    const reply = await page({ limit: 1, offset });
    return reply.status === 200 ? undefined : reply;
  });

  expect(refusal).toMatchObject({ status: 413, body: { detail: expect.stringContaining("GET /traces") } });
});
