import { randomUUID } from "node:crypto";
import type { FindCustomMetric } from "../../judge/target-judge.ts";

type Draft = NonNullable<Awaited<ReturnType<FindCustomMetric>>>;

/** A registry of metric drafts under random references, so that a judge can evaluate metrics that are not stored. */
export const draftMetrics = () => {
  const drafts = new Map<string, Draft>();
  const find: FindCustomMetric = (_project, reference) => Promise.resolve(drafts.get(reference) ?? null);
  return {
    find,
    add: (draft: Draft): { readonly reference: string; readonly remove: () => void } => {
      const reference = randomUUID();
      drafts.set(reference, draft);
      return { reference, remove: () => drafts.delete(reference) };
    },
  };
};
