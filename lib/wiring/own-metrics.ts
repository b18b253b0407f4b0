import { instantAt } from "../domain/instant.ts";
import type { Database } from "../store/database.ts";
import { ownMetricStore, type OwnMetrics } from "../store/metrics/own-metrics.ts";

/** Projects' own metrics on this function's clock. */
export const environmentOwnMetrics = (database: Database): OwnMetrics =>
  ownMetricStore(database, () => instantAt(Date.now()));
