import { ExactSum } from "../exact-sum.ts";
import { byCodePoint } from "../order.ts";
import type { Contribution } from "../traces/totals.ts";

/** What the spans of one model, or those without one, used. Tokens and costs are sums of what clients sent. */
export type ModelUsage = Omit<Contribution, "hour">;

/** Models that are told apart within an hour, and the bytes their names may take. What is beyond has no name. */
const mostModels = 1_000;
const mostNameBytes = 32 * 1024;

/** What one model used, while it is added up: many small costs come together. */
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

/** Adds usage up by model. */
export const usageTally = () => {
  const sums = new Map<string | null, UsageSum>();
  return {
    add: (usage: ModelUsage): void => {
      const sum = sums.get(usage.model) ?? new UsageSum(usage.model);
      sum.add(usage);
      sums.set(usage.model, sum);
    },
    /** How many models there are, those without a name counted as one. */
    models: (): number => sums.size,
    usage: (): readonly ModelUsage[] => [...sums.values()].map((sum) => sum.usage),
  };
};

/** Most called first, then by name. */
export const mostCalledFirst = (a: ModelUsage, b: ModelUsage): number =>
  b.calls - a.calls || byCodePoint(a.model ?? "", b.model ?? "");

/** The same sums with the names of the most called models only: an item of storage holds no more. */
export const withFewerNames = (usage: readonly ModelUsage[]): readonly ModelUsage[] => {
  const tally = usageTally();
  let [models, bytes] = [0, 0];
  for (const one of usage.toSorted(mostCalledFirst)) {
    bytes += Buffer.byteLength(one.model ?? "");
    if (one.model !== null) models += 1;
    tally.add(models > mostModels || bytes > mostNameBytes ? { ...one, model: null } : one);
  }
  return tally.usage();
};
