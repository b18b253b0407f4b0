import type { createSessionRun } from "../../contract/runs/session-runs.ts";
import type { createTraceRun } from "../../contract/runs/trace-runs.ts";
import { checkDeclared } from "../../domain/traces/declared.ts";
import { matchingTargets } from "../../evaluation/start/matching-targets.ts";
import { chosenMetrics } from "../../evaluation/start/chosen-metrics.ts";
import { startedBefore } from "../../evaluation/start/started-before.ts";
import { endpoint } from "../../http/endpoint.ts";
import { DryRun } from "../../http/other-answer.ts";
import { runReply } from "../../http/runs/reply.ts";
import { runRequest } from "../../http/runs/request.ts";
import { connect } from "../../store/database.ts";
import { runStore } from "../../store/runs/runs.ts";
import { environmentEstimate } from "../../wiring/estimate.ts";
import { environmentGate } from "../../wiring/gates.ts";
import { environmentCustomMetrics } from "../../wiring/custom-metrics.ts";
import { environmentRunStart } from "../../wiring/run-start.ts";
import { targetSources } from "../../wiring/target-sources.ts";
import type { TargetKind } from "./target-kinds.ts";

/** Evaluates what filters select. */
export const createRun = (route: typeof createTraceRun | typeof createSessionRun, { targetType }: TargetKind) => {
  const database = connect();
  const runs = runStore(database);
  const choose = chosenMetrics(environmentCustomMetrics(database));
  const [start, estimate] = [environmentRunStart(database), environmentEstimate(database)];
  const matching = matchingTargets(targetSources(database));

  return endpoint(route, environmentGate(database), async (sent) => {
    const { body, mint, project, query, repeat } = sent;
    const id = mint("run");
    const before = query.dry_run ? null : await startedBefore(runs, sent, project.id, id);
    if (before !== null) return runReply(before);
    const metrics = await choose(project.id, targetType, body.metrics);
    checkDeclared(body.filters.metadata, project.metadataKeys, (key) => ["body", "filters", "metadata", key]);
    const found = await matching(project.id, targetType, body.filters);
    if (query.dry_run) {
      const ids = start.chosen(found, body.sampling_rate).map(({ id }) => id);
      return new DryRun(await estimate(project.id, targetType, { ...body, metrics }, ids));
    }
    const request = {
      ...runRequest(id, project.id, targetType, { ...body, metrics }),
      filters: body.filters,
      samplingRate: body.sampling_rate,
      monitorId: null,
    };
    return runReply(await start.filtered(request, found, repeat));
  });
};
