import type { listSessionRuns } from "../../contract/runs/session-runs.ts";
import type { listTraceRuns } from "../../contract/runs/trace-runs.ts";
import type { TargetType } from "../../domain/runs/run.ts";
import { endpoint } from "../../http/endpoint.ts";
import { runReply } from "../../http/runs/reply.ts";
import { connect } from "../../store/database.ts";
import { runList } from "../../store/runs/list.ts";
import { runStore } from "../../store/runs/runs.ts";
import { environmentGate } from "../../wiring/gates.ts";

/** Lists the runs of one type of target. */
export const listRuns = (route: typeof listTraceRuns | typeof listSessionRuns, targetType: TargetType) => {
  const database = connect();
  const list = runList(database);
  const runs = runStore(database);

  return endpoint(route, environmentGate(database), async ({ project, query, paging }) => {
    const { limit, offset, after } = paging;
    const {
      runs: found,
      total,
      last,
    } = await list.page(project.id, targetType, query.status ?? null, limit, offset, after);
    const items = await Promise.all(found.map((stored) => runs.withLiveCounts(stored)));
    return paging.page(items.map(runReply), total, last);
  });
};
