import type { createSessionBatchRun } from "../../contract/runs/session-runs.ts";
import type { createTraceBatchRun } from "../../contract/runs/trace-runs.ts";
import { checkListedCount } from "../../domain/runs/checks.ts";
import { wholeTargets } from "../../domain/runs/run.ts";
import { chosenMetrics } from "../../evaluation/start/chosen-metrics.ts";
import { startedBefore } from "../../evaluation/start/started-before.ts";
import { endpoint } from "../../http/endpoint.ts";
import { DryRun } from "../../http/other-answer.ts";
import { runReply } from "../../http/runs/reply.ts";
import { runRequest } from "../../http/runs/request.ts";
import { connect } from "../../store/database.ts";
import { runStore } from "../../store/runs/runs.ts";
import { requiredNumber, variables } from "../../wiring/environment.ts";
import { environmentEstimate } from "../../wiring/estimate.ts";
import { environmentGate } from "../../wiring/gates.ts";
import { environmentCustomMetrics } from "../../wiring/custom-metrics.ts";
import { environmentRunStart } from "../../wiring/run-start.ts";
import type { TargetKind } from "./target-kinds.ts";

type Listed = { readonly trace_ids: readonly string[] } | { readonly session_ids: readonly string[] };

const listedIn = (body: Listed): readonly [field: string, ids: readonly string[]] =>
  "trace_ids" in body ? ["trace_ids", body.trace_ids] : ["session_ids", body.session_ids];

/** Evaluates what is listed. */
export const createBatchRun = (
  route: typeof createTraceBatchRun | typeof createSessionBatchRun,
  { targetType, sequentialWhenListed: sequential }: TargetKind,
) => {
  const database = connect();
  const runs = runStore(database);
  const choose = chosenMetrics(environmentCustomMetrics(database));
  const [start, estimate] = [environmentRunStart(database), environmentEstimate(database)];
  const maxTargets = requiredNumber(variables.maxTargetsPerBatch);

  return endpoint(route, environmentGate(database), async (sent) => {
    const { body, mint, project, query, repeat } = sent;
    const id = mint("run");
    const before = query.dry_run ? null : await startedBefore(runs, sent, project.id, id);
    if (before !== null) return runReply(before);
    const metrics = await choose(project.id, targetType, body.metrics);
    const [field, ids] = listedIn(body);
    checkListedCount(field, ids.length, maxTargets);
    if (query.dry_run) return new DryRun(await estimate(project.id, targetType, { ...body, metrics }, ids));
    const request = { ...runRequest(id, project.id, targetType, { ...body, metrics }), sequential, retryOf: null };
    return runReply(await start.listed(request, wholeTargets(ids), repeat));
  });
};
