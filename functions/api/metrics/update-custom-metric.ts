import type { CustomMetricUpdate } from "../../../lib/contract/metrics/custom-fields.ts";
import { updateCustomMetric } from "../../../lib/contract/metrics/custom-metrics.ts";
import { definitionOf } from "../../../lib/domain/metrics/custom/definition-of.ts";
import type { CustomMetricVersion } from "../../../lib/domain/metrics/custom/definition.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { mergeUpdate, metricNotFound, customMetricReply } from "../../../lib/http/metrics/custom-metric.ts";
import { unknownScoreWarnings } from "../../../lib/http/metrics/unknown-score.ts";
import { connect } from "../../../lib/dynamo/database.ts";
import { environmentGuard } from "../../../lib/wiring/access-guards.ts";
import { customMetricStore } from "../../../lib/store/metrics/custom-metrics.ts";

const database = connect();
const metrics = customMetricStore(database);
const scoreWarnings = unknownScoreWarnings(database, metrics);

/** Returns a function that applies an update body to a version of a metric. */
const changeOf = (body: CustomMetricUpdate) => (current: CustomMetricVersion) => {
  const metricInput = mergeUpdate(current.sent, body);
  return { sent: metricInput, definition: definitionOf(metricInput) };
};

/** Returns the version that a change would create, without storing it; null if the metric does not exist. */
const dryRun = async (project: string, name: string, change: ReturnType<typeof changeOf>) => {
  const metric = await metrics.get(project, name);
  if (metric === null || metric.deletedAt !== null) return null;
  const newest = await metrics.version(project, name, metric.versions.length);
  if (newest === null) return null;
  const { definition, sent } = change(newest);
  const isSame = JSON.stringify(sent) === JSON.stringify(newest.sent);
  return { metric, version: { ...newest, version: newest.version + (isSame ? 0 : 1), definition, sent } };
};

export const handler = endpoint(
  updateCustomMetric,
  environmentGuard(database),
  async ({ body, params, project, query }) => {
    const [name, change] = [params.metric_name, changeOf(body)];
    const changed = await (query.dry_run ? dryRun(project.id, name, change) : metrics.change(project.id, name, change));
    if (changed === null) throw metricNotFound(name);
    return customMetricReply(
      changed.metric,
      changed.version,
      await scoreWarnings(project.id, changed.version.definition),
    );
  },
);
