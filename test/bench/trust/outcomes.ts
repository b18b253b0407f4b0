import { startOfflineJudge } from "../../../infra/local/offline-judge/offline-judge.ts";
import { shellProviders } from "../../../infra/local/ssm/shell-providers.ts";
import { createJudge } from "../../../lib/judge/create-judge.ts";
import { traceMetrics } from "../../../lib/metrics/trace/definitions.ts";
import { seeded } from "../../support/random.ts";
import { areaUnderCurve, interval, kappa, sensitivity, specificity, type Judged } from "./agreement.ts";
import type { Trajectory } from "./trajectories.ts";

/** The rules, which every machine has. */
const rulesModel = "offline/rules";

const shown = (value: number | null, digits = 2): string => (value === null ? "–" : value.toFixed(digits));

/** A judge over what the shell configures, and the rules beside it. */
const judgeHere = async (embeddingModel: string) => {
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

const patience = 120_000;

/** What a judge makes of trajectories, by metric, beside what is known of them. */
export const benchOutcomes = async (
  trajectories: readonly Trajectory[],
  model: string,
  seed: number,
): Promise<void> => {
  const embeddings = process.env["EMBEDDING_MODEL"] ?? (model === rulesModel ? "offline/words" : undefined);
  const { judge, close } = await judgeHere(embeddings ?? "offline/words");
  const found = new Map<string, { judged: Judged[]; inapplicable: number; failed: number }>(
    traceMetrics.map(({ name }) => [name, { judged: [], inapplicable: 0, failed: 0 }]),
  );
  try {
    for (const { trace, solved, task } of trajectories) {
      const target = judge.target({ runId: "trust", projectId: "trust", trace, traceVersion: 1, model });
      for (const { name, threshold } of traceMetrics) {
        const verdict = await target.score(name, Date.now() + patience);
        const own = found.get(name);
        if (own === undefined) continue;
        if (verdict.kind !== "scored") own.failed += 1;
        else if (verdict.grounds?.inapplicable) own.inapplicable += 1;
        else own.judged.push({ value: verdict.value, passed: verdict.value >= threshold, solved, task });
      }
    }
  } finally {
    await close();
  }
  const solved = trajectories.filter((each) => each.solved).length;
  console.log(`${model}: ${trajectories.length} trajectories, ${solved} of them solved\n`);
  console.log("| metric | judged, n/a, failed | mean | pass rate | kappa | sensitivity | specificity | AUC, 95 % |");
  console.log("|---|---|---|---|---|---|---|---|");
  for (const [name, { judged, inapplicable, failed }] of found) {
    const mean = judged.length === 0 ? null : judged.reduce((sum, { value }) => sum + value, 0) / judged.length;
    const passes = judged.length === 0 ? null : judged.filter(({ passed }) => passed).length / judged.length;
    const range = interval(judged, areaUnderCurve, seeded(seed));
    const area = `${shown(areaUnderCurve(judged))}${range === null ? "" : `, ${shown(range[0])} to ${shown(range[1])}`}`;
    const counts = `${judged.length}, ${inapplicable}, ${failed}`;
    const figures = [mean, passes, kappa(judged), sensitivity(judged), specificity(judged)].map((value) =>
      shown(value),
    );
    console.log(`| ${name} | ${[counts, ...figures, area].join(" | ")} |`);
  }
};
