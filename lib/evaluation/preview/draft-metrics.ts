import { randomUUID } from "node:crypto";
import type { OwnMetricOf } from "../../judge/target-judge.ts";

type Draft = NonNullable<Awaited<ReturnType<OwnMetricOf>>>;

/** Metrics that nobody has stored, by references made up for them. */
export interface DraftMetrics {
  readonly of: OwnMetricOf;
  /** Does something while the judge knows a draft. */
  readonly during: <Result>(draft: Draft, work: (reference: string) => Promise<Result>) => Promise<Result>;
}

export const draftMetrics = (): DraftMetrics => {
  const known = new Map<string, Draft>();
  return {
    of: (_project, reference) => Promise.resolve(known.get(reference) ?? null),
    during: async (draft, work) => {
      const reference = randomUUID();
      known.set(reference, draft);
      try {
        return await work(reference);
      } finally {
        known.delete(reference);
      }
    },
  };
};
