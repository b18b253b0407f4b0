import { startOfflineJudge } from "../../../infra/local/offline-judge/offline-judge.ts";
import { shellProviders } from "../../../infra/local/ssm/shell-providers.ts";
import { createJudge } from "../../../lib/judge/create-judge.ts";
import { traceMetrics } from "../../../lib/metrics/trace/definitions.ts";
import { seeded } from "../../support/random.ts";
import { areaUnderCurve, interval, kappa, sensitivity, specificity, type Judged } from "./agreement.ts";
import type { Trajectory } from "./trajectories.ts";

/** The rule-based model, available on every machine. */
const rulesModel = "offline/rules";

const formatNumber = (value: number | null, digits = 2): string => (value === null ? "–" : value.toFixed(digits));

/** Creates a judge from the environment's settings, with the rule-based model in addition. */
const createLocalJudge = async (embeddingModel: string) => {
  const offline = await startOfflineJudge();
  const values = { ...shellProviders(process.env), offline: { baseUrl: offline.url } };
  const entries = Object.entries(values).flatMap(([provider, settings]) =>
    Object.entries(settings).flatMap(([setting, value]) =>
      typeof value === "string" ? [{ provider, setting, name: `/bench/${provider}/${setting}`, value }] : [],
    ),
  );
  const byName = new Map(entries.map(({ name, value }) => [name, value]));
  const providers = Object.fromEntries(
    Object.keys(values).map((provider) => [
      provider,
      Object.fromEntries(
        entries.filter((each) => each.provider === provider).map(({ setting, name }) => [setting, name]),
      ),
    ]),
  );
  const judge = createJudge({
    metrics: traceMetrics,
    providers,
    parameter: async (name) => byName.get(name) ?? "",
    embeddingModel,
  });
  return { judge, close: () => offline.close() };
};

const maxMilliseconds = 120_000;

/** Prints the agreement of a judge with known outcomes of trajectories, by metric. */
export const benchOutcomes = async (
  trajectories: readonly Trajectory[],
  model: string,
  seed: number,
): Promise<void> => {
  const embeddings = process.env["EMBEDDING_MODEL"] ?? (model === rulesModel ? "offline/words" : undefined);
  const { judge, close } = await createLocalJudge(embeddings ?? "offline/words");
  const outcomes = new Map<string, { judged: Judged[]; inapplicable: number; failed: number }>(
    traceMetrics.map(({ name }) => [name, { judged: [], inapplicable: 0, failed: 0 }]),
  );
  try {
    for (const { trace, solved, task } of trajectories) {
      const target = judge.target({ runId: "trust", projectId: "trust", trace, traceVersion: 1, model });
      for (const { name, threshold } of traceMetrics) {
        const verdict = await target.score(name, Date.now() + maxMilliseconds);
        const outcome = outcomes.get(name);
        if (outcome === undefined) continue;
        if (verdict.kind !== "scored") outcome.failed += 1;
        else if (verdict.grounds?.inapplicable) outcome.inapplicable += 1;
        else outcome.judged.push({ value: verdict.value, passed: verdict.value >= threshold, solved, task });
      }
    }
  } finally {
    await close();
  }
  const solved = trajectories.filter((each) => each.solved).length;
  console.log(`${model}: ${trajectories.length} trajectories, ${solved} of them solved\n`);
  console.log("| metric | judged, n/a, failed | mean | pass rate | kappa | sensitivity | specificity | AUC, 95 % |");
  console.log("|---|---|---|---|---|---|---|---|");
  for (const [name, { judged, inapplicable, failed }] of outcomes) {
    const mean = judged.length === 0 ? null : judged.reduce((sum, { value }) => sum + value, 0) / judged.length;
    const passes = judged.length === 0 ? null : judged.filter(({ passed }) => passed).length / judged.length;
    const range = interval(judged, areaUnderCurve, seeded(seed));
    const area = `${formatNumber(areaUnderCurve(judged))}${range === null ? "" : `, ${formatNumber(range[0])} to ${formatNumber(range[1])}`}`;
    const counts = `${judged.length}, ${inapplicable}, ${failed}`;
    const figures = [mean, passes, kappa(judged), sensitivity(judged), specificity(judged)].map((value) =>
      formatNumber(value),
    );
    console.log(`| ${name} | ${[counts, ...figures, area].join(" | ")} |`);
  }
};
