import { expect, inject, test } from "vitest";
import { getTraceScoreSummary, getTraceScoreTrend } from "../../../lib/contract/scores/analytics.ts";
import { compareTraceScores } from "../../../lib/contract/scores/comparison.ts";
import { createTraceRun } from "../../../lib/contract/runs/trace-runs.ts";
import { getTraceScores, listTraceScores, updateTraceScore } from "../../../lib/contract/scores/trace-scores.ts";
import { tagTraces, updateTrace } from "../../../lib/contract/traces/changes.ts";
import { createSessionScore } from "../../../lib/contract/scores/session-scores.ts";
import { listSessions } from "../../../lib/contract/sessions/sessions.ts";
import { createTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { endedRun } from "../../support/runs/ended-run.ts";
import { newProject } from "../../support/service/client.ts";
import { eventually } from "../../support/service/local-fixture.ts";
import { someTrace } from "../../support/traces/traces.ts";

const service = inject("service");
const name = "step_efficiency";

test("a corrected score counts before later ones of the judge everywhere, until the trace's content changes", async () => {
  const client = newProject(service);
  const { trace_id } = await client.answer(createTrace, { body: someTrace({ release: "r1" }) });
  const judge = async (scoreCount: number) => {
    await endedRun(client, await client.answer(createTraceRun, { body: { metrics: [name] } }));
    await eventually(
      async () => (await client.answer(listTraceScores, { query: { trace_id } })).total === scoreCount || undefined,
    );
  };
  const matchCount = async (score: string, source = {}) =>
    (await client.answer(listTraces, { query: { score: [score], ...source } })).total;
  const query = { metric_name: name, release: "r1" };
  /** The value that counts: in lists, of the trace, in groups, over time and in a comparison. */
  const figures = async (source?: "AUTOMATED") => {
    const ofSource = source === undefined ? {} : { source };
    const { items } = await client.answer(listTraces, { query: { include: ["scores"], ...ofSource } });
    const summaries = await client.answer(getTraceScoreSummary, {
      query: { ...query, ...ofSource, group_by: ["release"] },
    });
    const [trend] = await client.answer(getTraceScoreTrend, { query: { ...query, ...ofSource } });
    const compared = await client.answer(compareTraceScores, {
      query: { metric_name: name, baseline: "release:r1", candidate: "release:r2", ...ofSource },
    });
    return {
      lists: items.flatMap(({ scores = [] }) => scores.map(({ value }) => Number(value))),
      trace: (await client.answer(getTraceScores, { params: { score_id: trace_id } })).map(({ value }) =>
        Number(value),
      ),
      figures: [summaries[0]?.mean?.value, trend?.avg_score, compared.baseline.mean.value],
    };
  };

  await judge(1);
  const [judged] = (await client.answer(listTraceScores, { query: { trace_id } })).items;
  await client.answer(updateTraceScore, { params: { score_id: judged?.id ?? "" }, body: { value: "0.125" } });
  await client.answer(tagTraces, { body: { trace_ids: [trace_id], add_tags: ["seen"] } });
  await client.answer(updateTrace, { params: { trace_id }, body: { tags: ["done"], environment: "qa", user_id: "u" } });
  await judge(2);
  await eventually(async () => (await matchCount(`${name}<0.5`)) === 1 || undefined);
  await eventually(async () => (await matchCount(`${name}>=0.5`, { source: "AUTOMATED" })) === 1 || undefined);

  expect(await figures()).toEqual({ lists: [0.125], trace: [0.125], figures: [0.125, 0.125, 0.125] });
  expect(await matchCount(`${name}>=0.5`)).toBe(0);
  expect(await figures("AUTOMATED")).toMatchObject({ lists: [1], figures: [1, 1, 1] });
  for (const [source, matches] of [
    ["AUTOMATED", [0, 1]],
    ["ANNOTATION", [1, 0]],
  ] as const)
    expect([await matchCount(`${name}<0.5`, { source }), await matchCount(`${name}>=0.5`, { source })]).toEqual(
      matches,
    );
  expect(
    await client.answer(getTraceScoreSummary, { query: { metric_name: name, source: "AUTOMATED" } }),
  ).toMatchObject([{ avg_score: 1, success_count: 1 }]);

  await client.answer(updateTrace, { params: { trace_id }, body: { output: "Something else." } });
  await judge(3);
  await eventually(async () => (await matchCount(`${name}>=0.5`)) === 1 || undefined);
  expect(await figures()).toEqual({ lists: [1], trace: [1], figures: [1, 1, 1] });
});

test("lists of sessions are filtered, sorted and completed by the scores of people or of programs", async () => {
  const client = newProject(service);
  // The program's score is the later one, which counts.
  for (const [session_id, byPerson, byProgram] of [
    ["first", "0.9", "0.1"],
    ["second", "0.2", "0.8"],
  ] as const) {
    await client.answer(createTrace, { body: someTrace({ session_id }) });
    for (const [source, value] of [
      ["ANNOTATION", byPerson],
      ["PROGRAMMATIC", byProgram],
    ])
      await client.answer(createSessionScore, { body: { session_id, name: "solved", value, source } });
  }
  const listed = async (query: object) => {
    const sorting = { sort_by: "score", sort_metric: "solved", include: ["scores"], ...query };
    const { items } = await client.answer(listSessions, { query: sorting });
    return items.map(({ session_id, scores }) => [session_id, scores?.[0]?.value]);
  };
  await eventually(async () => (await listed({ score: ["solved!=0.9", "solved!=0.2"] })).length === 2 || undefined);

  const [ofPeople, ofPrograms] = [
    [
      ["first", "0.9"],
      ["second", "0.2"],
    ],
    [
      ["second", "0.8"],
      ["first", "0.1"],
    ],
  ];
  expect(await listed({})).toEqual(ofPrograms);
  expect(await listed({ source: "AUTOMATED" })).toEqual(ofPrograms);
  expect(await listed({ source: "ANNOTATION" })).toEqual(ofPeople);
  expect(await listed({ source: "ANNOTATION", score: ["solved<0.5"] })).toEqual([["second", "0.2"]]);
});
