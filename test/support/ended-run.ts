import { type EvalRun, getTraceRun } from "../../lib/contract/trace-runs.ts";
import type { Client } from "./client.ts";
import { eventually } from "./local-fixture.ts";

/** A run once it has ended. */
export const endedRun = (client: Client, { id }: Pick<EvalRun, "id">): Promise<EvalRun> =>
  eventually(async () => {
    const run = await client.answer(getTraceRun, { params: { run_id: id } });
    return run.status === "COMPLETED" || run.status === "FAILED" ? run : undefined;
  }, 25_000);
