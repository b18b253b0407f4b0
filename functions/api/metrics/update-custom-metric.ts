import type { CustomMetricUpdate } from "../../../lib/contract/metrics/custom-fields.ts";
import { updateCustomMetric } from "../../../lib/contract/metrics/custom-metrics.ts";
import { definitionOf } from "../../../lib/domain/metrics/custom/define.ts";
import type { CustomVersion } from "../../../lib/domain/metrics/custom/definition.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { changedBy, metricNotFound, customMetricReply } from "../../../lib/http/metrics/custom-metric.ts";
import { connect } from "../../../lib/store/database.ts";
import { environmentGate } from "../../../lib/wiring/gates.ts";
import { environmentCustomMetrics } from "../../../lib/wiring/custom-metrics.ts";

const database = connect();
const metrics = environmentCustomMetrics(database);

/** What a version becomes by a body. */
const changing = (body: CustomMetricUpdate) => (before: CustomVersion) => {
  const sent = changedBy(before.sent, body);
  return { sent, definition: definitionOf(sent) };
};

/** The version that a change would make; null when there is no such metric. */
const tried = async (project: string, name: string, change: ReturnType<typeof changing>) => {
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
  environmentGate(database),
  async ({ body, params, project, query }) => {
    const [name, change] = [params.metric_name, changing(body)];
    const changed = await (query.dry_run ? tried(project.id, name, change) : metrics.change(project.id, name, change));
    if (changed === null) throw metricNotFound(name);
    return customMetricReply(changed.metric, changed.version);
  },
);
