import { instantAt } from "../domain/instant.ts";
import type { Database } from "../dynamo/database.ts";
import { customMetricStore, type CustomMetrics } from "../store/metrics/custom-metrics.ts";

/** Creates the store of custom metrics with the system clock. */
export const environmentCustomMetrics = (database: Database): CustomMetrics =>
  customMetricStore(database, () => instantAt(Date.now()));
