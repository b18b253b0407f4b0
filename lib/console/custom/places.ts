import { hrefTo } from "../place.ts";

/** The pages about metrics of one's own; all stand below Metrics. */
export const customPages: ReadonlySet<string> = new Set([
  "own-metrics",
  "new-metric",
  "metric-gallery",
  "metric-import",
]);

/** The draft of a metric that is made. */
export const newDraft = "new metric";

/** The draft of a change, by the version that it changes. */
export const changeDraft = (reference: string): string => `change of ${reference}`;

export const hrefOfMetric = (name: string, query: Readonly<Record<string, string | null>> = {}): string =>
  hrefTo("own-metrics", name, query);
