import { createTraceRun } from "../../../lib/contract/trace-runs.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import { modelId, resolveModel } from "../../../lib/domain/model.ts";
import { checkMetrics, checkTargetCount } from "../../../lib/domain/run-checks.ts";
import { sample } from "../../../lib/domain/sample.ts";
import { traceFilter } from "../../../lib/domain/trace-filter.ts";
import { required, requiredNumber, variables } from "../../../lib/environment.ts";
import { endpoint } from "../../../lib/http/endpoint.ts";
import { environmentGate } from "../../../lib/http/environment-gate.ts";
import { runReply } from "../../../lib/http/run-reply.ts";
import { traceMetricNames } from "../../../lib/metrics/trace/catalogue.ts";
import { connect } from "../../../lib/store/database.ts";
import { runCreation } from "../../../lib/store/run-creation.ts";
import { traceList } from "../../../lib/store/trace-list.ts";

const database = connect();
const traces = traceList(database);
const createRun = runCreation(database);
const defaultModel = required(variables.judgeModel);
const maxTargets = requiredNumber(variables.maxTargetsPerRun);

export const handler = endpoint(createTraceRun, environmentGate(database), async ({ body, mint, project }) => {
  checkMetrics(body.metrics, traceMetricNames);
  const matching = await traces.matching(project.id, traceFilter(body.filters));
  const targets = sample(matching, body.sampling_rate);
  checkTargetCount(targets.length, maxTargets);
  const model = resolveModel(body.model ?? defaultModel);
  const order = {
    id: mint("run"),
    projectId: project.id,
    name: body.name ?? null,
    targetType: "TRACE" as const,
    metrics: body.metrics,
    filters: body.filters,
    samplingRate: body.sampling_rate,
    model: body.model ?? null,
    resolvedModel: model === null ? defaultModel : modelId(model),
    monitorId: null,
    retryOf: null,
    total: targets.length,
    createdAt: instantAt(Date.now()),
    emptyMessage: emptyMessage(matching.length, targets.length),
  };
  return runReply(await createRun(order, targets));
});

const emptyMessage = (matching: number, chosen: number): string | null => {
  if (matching === 0) return "No traces match the provided filters.";
  return chosen === 0 ? "The sampling rate of 0 selects no traces." : null;
};
