import { byCodePoint } from "./order.ts";
import type { Contribution } from "./trace-totals.ts";

/** What the spans of one model, or those without one, used. Tokens and costs are sums of what clients sent. */
export type ModelUsage = Omit<Contribution, "hour">;

/** Models that are told apart within an hour, and the bytes their names may take. What is beyond has no name. */
const mostModels = 1_000;
const mostNameBytes = 32 * 1024;

/** Adds usage up by model. */
export const usageTally = () => {
  const sums = new Map<string | null, ModelUsage>();
  return {
    add: ({ model, calls, promptTokens, completionTokens, cost }: ModelUsage): void => {
      const sum = sums.get(model);
      sums.set(model, {
        model,
        calls: (sum?.calls ?? 0) + calls,
        promptTokens: (sum?.promptTokens ?? 0) + promptTokens,
        completionTokens: (sum?.completionTokens ?? 0) + completionTokens,
        cost: (sum?.cost ?? 0) + cost,
      });
    },
    usage: (): readonly ModelUsage[] => [...sums.values()],
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
