import { ExactSum } from "../exact-sum.ts";
import { byCodePoint } from "../text.ts";
import type { Contribution } from "../traces/totals.ts";

/** Usage of the spans of one model, or of the spans without a model. Tokens and costs are sums of client values. */
export type ModelUsage = Omit<Contribution, "hour">;

/**
 * Maximum number of models of an hour that keep their names; the remaining models are merged into one entry without a
 * name.
 */
const maxModels = 1_000;
/** Maximum total bytes of the model names of an hour. */
const maxNameBytes = 32 * 1024;

/** Accumulator of one model's usage; costs are summed without rounding errors, since there are many small ones. */
class UsageSum {
  readonly #model: string | null;
  #calls = 0;
  readonly #prompt = new ExactSum();
  readonly #completion = new ExactSum();
  readonly #cost = new ExactSum();

  constructor(model: string | null) {
    this.#model = model;
  }

  add({ calls, promptTokens, completionTokens, cost }: ModelUsage): void {
    this.#calls += calls;
    this.#prompt.add(promptTokens);
    this.#completion.add(completionTokens);
    this.#cost.add(cost);
  }

  get usage(): ModelUsage {
    return {
      model: this.#model,
      calls: this.#calls,
      promptTokens: this.#prompt.value,
      completionTokens: this.#completion.value,
      cost: this.#cost.value,
    };
  }
}

/** Creates an accumulator of usage by model. */
export const usageTally = () => {
  const sums = new Map<string | null, UsageSum>();
  return {
    add: (usage: ModelUsage): void => {
      const sum = sums.get(usage.model) ?? new UsageSum(usage.model);
      sum.add(usage);
      sums.set(usage.model, sum);
    },
    /** Returns the number of models; all spans without a model count as one. */
    models: (): number => sums.size,
    usage: (): readonly ModelUsage[] => [...sums.values()].map((sum) => sum.usage),
  };
};

/** Orders models by calls, descending, then by name. */
export const byCallsDescending = (a: ModelUsage, b: ModelUsage): number =>
  b.calls - a.calls || byCodePoint(a.model ?? "", b.model ?? "");

/**
 * Merges the models with the fewest calls into one entry without a name, so that the usage fits into one DynamoDB item.
 */
export const limitModelNames = (usage: readonly ModelUsage[]): readonly ModelUsage[] => {
  const tally = usageTally();
  let [models, bytes] = [0, 0];
  for (const entry of usage.toSorted(byCallsDescending)) {
    bytes += Buffer.byteLength(entry.model ?? "");
    if (entry.model !== null) models += 1;
    tally.add(models > maxModels || bytes > maxNameBytes ? { ...entry, model: null } : entry);
  }
  return tally.usage();
};
