import { randomUUID } from "node:crypto";
import type { CustomMetricOf } from "../../judge/target-judge.ts";

type Draft = NonNullable<Awaited<ReturnType<CustomMetricOf>>>;

/** Metrics that a judge knows for a while, stored or not, by references made up for them. */
export const draftMetrics = () => {
  const known = new Map<string, Draft>();
  const of: CustomMetricOf = (_project, reference) => Promise.resolve(known.get(reference) ?? null);
  return {
    of,
    remember: (draft: Draft): { readonly reference: string; readonly forget: () => void } => {
      const reference = randomUUID();
      known.set(reference, draft);
      return { reference, forget: () => known.delete(reference) };
    },
  };
};
