import Table from "cli-table3";
import { uploadLabels } from "../../../lib/contract/labels/label-items.ts";
import { createLabelSet } from "../../../lib/contract/labels/label-sets.ts";
import { computeTrust } from "../../../lib/contract/labels/trust.ts";
import { createTraceRun } from "../../../lib/contract/runs/trace-runs.ts";
import { getTraceScoreSummary } from "../../../lib/contract/scores/analytics.ts";
import { listTraceScores } from "../../../lib/contract/scores/trace-scores.ts";
import { createTrace } from "../../../lib/contract/traces/traces.ts";
import { seeded } from "../../support/random.ts";
import { endedRun } from "../../support/runs/ended-run.ts";
import { completionAnswer, completionAnswers, says, startFakeJudge } from "../../support/runs/fake-judge.ts";
import { newProject } from "../../support/service/client.ts";
import { eventually } from "../../support/service/local-fixture.ts";
import { startService, type RunningService } from "../../support/service/service.ts";
import { weakJudges, type JudgeBias } from "../../support/statistics/labelled-verdicts.ts";
import type { Trajectory } from "./trajectories.ts";

const metric = "task_completion";
const judges: readonly JudgeBias[] = [...weakJudges, { title: "good", sensitivity: 0.95, specificity: 0.9 }];

/** Name of a trace by its place, by which the judge knows it. */
const nameOf = (place: number): string => `airline-${place}-`;

const numberText = (value: number | null | undefined): string => value?.toFixed(2) ?? "–";

/** Stores trajectories, has them judged, and labels the first half; returns what labels say of the rate of the others. */
const replay = async (service: RunningService, trajectories: readonly Trajectory[]) => {
  const project = newProject(service);
  const releaseOf = (place: number): string => (place * 2 < trajectories.length ? "labelled" : "other");
  for (const [place, { trace }] of trajectories.entries())
    await project.answer(createTrace, { body: { ...trace, name: nameOf(place), release: releaseOf(place) } });
  await endedRun(project, await project.answer(createTraceRun, { body: { metrics: [metric], model: "openai/judge" } }));
  await eventually(async () => {
    const { total } = await project.answer(listTraceScores, { query: { name: metric } });
    return total === trajectories.length || undefined;
  });
  const { id: set_id } = await project.answer(createLabelSet, {
    body: { name: "outcomes", metrics: [{ name: metric }], filters: { release: "labelled" }, size: 100 },
  });
  const params = { set_id };
  const items = trajectories.flatMap(({ trace: { trace_id }, solved }, place) =>
    releaseOf(place) === "labelled" ? { trace_id, labeller: "outcome", labels: { [metric]: Number(solved) } } : [],
  );
  await project.answer(uploadLabels, { params, body: { items } });
  const trust = await project.answer(computeTrust, { params, body: { metric } });
  const [summary] = await project.answer(getTraceScoreSummary, {
    query: { metric_name: metric, release: "other", corrected: "true" },
  });
  const outcomes = trajectories.filter((_, place) => releaseOf(place) === "other");
  return { trust, summary, rate: outcomes.filter(({ solved }) => solved).length / outcomes.length };
};

/**
 * Drives labels through HTTP: judges replay the outcomes of trajectories with errors, and half of the outcomes are uploaded as labels.
 */
export const benchReplay = async (trajectories: readonly Trajectory[], seed: number): Promise<void> => {
  const fake = await startFakeJudge();
  const service = await startService({ providers: { openai: { key: "replay", baseUrl: fake.url } } });
  const head = ["sensitivity, specificity", "n", "kappa", "fit for", "true rate", "raw rate", "corrected rate"];
  const rows = new Table({ head, style: { head: [], border: [] } });
  try {
    for (const bias of judges) {
      const random = seeded(seed).fork(bias.title);
      const levels = trajectories.map(({ solved }) =>
        random.chance(solved ? bias.sensitivity : 1 - bias.specificity) ? "mostly" : "barely",
      );
      fake.script(async (response, call) => {
        const text = JSON.stringify(call.body.messages);
        const level = levels.find((_, place) => text.includes(nameOf(place)));
        if (level === undefined) throw new Error("The judge knows no such trace.");
        await says(completionAnswer({ statements: completionAnswers(level) }))(response, call);
      });
      const { trust, summary, rate } = await replay(service, trajectories);
      const { rate: corrected, lower, upper, reason } = summary?.corrected ?? { rate: null };
      rows.push([
        `${bias.sensitivity}, ${bias.specificity}`,
        trust.n,
        `${numberText(trust.kappa.value)} (${numberText(trust.kappa.lower)} to ${numberText(trust.kappa.upper)})`,
        trust.fit_for,
        numberText(rate),
        numberText(summary?.pass_rate?.value),
        corrected === null ? reason : `${numberText(corrected)} (${numberText(lower)} to ${numberText(upper)})`,
      ]);
    }
  } finally {
    await service.close();
    await fake.close();
  }
  console.log(rows.toString());
};
