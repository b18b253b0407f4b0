import type { EvalRun } from "../../../lib/contract/runs/run.ts";
import { getSessionRun } from "../../../lib/contract/runs/session-runs.ts";
import { getTraceRun } from "../../../lib/contract/runs/trace-runs.ts";
import { isTerminal } from "../../../lib/domain/runs/run.ts";
import type { Client } from "../service/client.ts";
import { eventually } from "../service/local-fixture.ts";

/** Waits for the end of a run and returns it. */
export const endedRun = (
  client: Client,
  { id, target_type = "TRACE" }: Pick<EvalRun, "id"> & Partial<Pick<EvalRun, "target_type">>,
): Promise<EvalRun> =>
  eventually(async () => {
    const route = target_type === "TRACE" ? getTraceRun : getSessionRun;
    const run = await client.answer(route, { params: { run_id: id } });
    return isTerminal(run.status) ? run : undefined;
  });
