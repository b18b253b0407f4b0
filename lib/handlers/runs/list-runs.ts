import type { listSessionRuns } from "../../contract/runs/session-runs.ts";
import type { listTraceRuns } from "../../contract/runs/trace-runs.ts";
import type { TargetType } from "../../domain/runs/run.ts";
import { endpoint } from "../../http/endpoint.ts";
import { runReply } from "../../http/runs/reply.ts";
import { connect } from "../../dynamo/database.ts";
import { runList } from "../../store/runs/list.ts";
import { runStore } from "../../store/runs/runs.ts";
import { environmentGuard } from "../../wiring/access-guards.ts";

/** Creates the handler that lists the runs of one target type. */
export const listRuns = (route: typeof listTraceRuns | typeof listSessionRuns, targetType: TargetType) => {
  const database = connect();
  const list = runList(database);
  const runs = runStore(database);

  return endpoint(route, environmentGuard(database), async ({ project, query, paging }) => {
    const { limit, offset, after } = paging;
    const { runs: storedRuns, total, last } = await list.page(project.id, targetType, query, limit, offset, after);
    const items = await Promise.all(storedRuns.map((run) => runs.withLiveCounts(run)));
    return paging.page(items.map(runReply), total, last);
  });
};
