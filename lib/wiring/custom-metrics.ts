import { instantAt } from "../domain/instant.ts";
import type { Database } from "../store/database.ts";
import { customMetricStore, type CustomMetrics } from "../store/metrics/custom-metrics.ts";

/** Projects' own metrics on this function's clock. */
export const environmentCustomMetrics = (database: Database): CustomMetrics =>
  customMetricStore(database, () => instantAt(Date.now()));
