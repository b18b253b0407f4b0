import { unpricedMessage } from "../domain/runs/budget.ts";
import type { JudgeCascade } from "../domain/runs/cascade.ts";
import { fullModelName, resolveModel } from "../domain/runs/model.ts";
import { metricReference } from "../domain/metrics/custom/reference.ts";
import { invalid } from "../domain/refusal.ts";
import type { Database } from "../dynamo/database.ts";
import { isOwnServer, providerEntry, readProviderSettings } from "../judge/providers/provider-settings.ts";
import { parameterReader, parameterStore } from "../parameters/parameters.ts";
import { priceOf } from "../prices/judge-prices.ts";
import { customMetricStore } from "../store/metrics/custom-metrics.ts";
import { monthlyCeilings } from "./ceilings.ts";
import { required, variables } from "./environment.ts";
import { plannedMetric } from "./estimate.ts";
import { operatorPrices } from "./prices.ts";
import { parameterNames } from "./provider-parameters.ts";

/** Judges and ceiling that the body of a run or monitor names, or that an earlier run has. */
interface JudgedBody {
  readonly model?: string | null | undefined;
  readonly judge?: JudgeCascade | null | undefined;
  readonly max_cost_usd?: number | null | undefined;
}

/** A model that will judge, and the field of the body that leads to it. */
interface NamedJudge {
  readonly name: string;
  readonly loc: readonly string[];
}

/**
 * Creates the check that the judges of a run, or of a monitor's runs, have prices, without which no ceiling could hold. A
 * server without an address passes: its run ends with a message that says what to configure.
 *
 * @returns check of judges and resolved metrics, which @throws Refusal `invalid` at the field, or at `at` if the request has none.
 */
export const environmentPriceCheck = (database: Database) => {
  const [prices, monthly, servers] = [operatorPrices(), monthlyCeilings(), parameterNames(process.env)];
  const readParameter = parameterReader(parameterStore(), Date.now);
  const defaultModel = required(variables.judgeModel);
  const metricOf = plannedMetric(customMetricStore(database));

  /** The function may read no key, but only who lists a model of such a provider can ask it without a price. */
  const isConfigured = async (model: string): Promise<boolean> => {
    const provider = providerEntry(resolveModel(model)?.provider ?? "");
    if (provider === undefined || !isOwnServer(provider.key)) return provider !== undefined;
    return "settings" in (await readProviderSettings(provider, servers, readParameter));
  };

  const judgesOf = async (
    project: string,
    metrics: readonly string[],
    { model = null, judge = null }: JudgedBody,
  ): Promise<readonly NamedJudge[]> => {
    const ofRun: readonly NamedJudge[] =
      judge === null
        ? [{ name: model ?? defaultModel, loc: ["model"] }]
        : [
            { name: judge.first, loc: ["judge", "first"] },
            { name: judge.escalate.to, loc: ["judge", "escalate", "to"] },
          ];
    const ofMetrics = metrics.map(async (metric): Promise<readonly NamedJudge[]> => {
      const plan = metricReference(metric).version === null ? null : await metricOf(project, metric);
      if (plan !== null && plan.method !== "judge") return [];
      const metricModel = model === null && judge === null ? plan?.model : null;
      return metricModel ? [{ name: metricModel, loc: ["metrics"] }] : ofRun;
    });
    return (await Promise.all(ofMetrics)).flat();
  };

  return async (
    project: string,
    metrics: readonly string[],
    body: JudgedBody,
    at?: readonly string[],
  ): Promise<void> => {
    if ([body.max_cost_usd ?? null, ...Object.values(monthly)].every((ceiling) => ceiling === null)) return;
    for (const { name, loc } of await judgesOf(project, metrics, body)) {
      const model = fullModelName(name);
      if (priceOf(model, prices) === null && (await isConfigured(model)))
        throw invalid(at ?? ["body", ...loc], unpricedMessage(model));
    }
  };
};
