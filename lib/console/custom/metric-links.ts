import { hrefTo } from "../route.ts";

/** Pages about custom metrics, which belong to the navigation entry Metrics. */
export const customMetricPages: ReadonlySet<string> = new Set([
  "own-metrics",
  "new-metric",
  "metric-gallery",
  "metric-import",
]);

/** Name of the draft of a new metric. */
export const newMetricDraftName = "new metric";

/** Returns the name of the draft for a metric's change. @param reference version to change, `name@2`. */
export const editDraftName = (reference: string): string => `change of ${reference}`;

/** Returns the URL fragment of a custom metric's page. */
export const customMetricHref = (name: string, query: Readonly<Record<string, string | null>> = {}): string =>
  hrefTo("own-metrics", name, query);
