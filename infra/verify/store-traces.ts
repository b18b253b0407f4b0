import type { TraceInput } from "../../lib/client/interface.ts";
import type { Caller } from "./client/caller.ts";

/** Stores up to 100 traces in one request. @throws Error when a trace is not accepted. */
export const storeTraces = async (project: Caller, traces: readonly TraceInput[]): Promise<void> => {
  const { results } = await project.client.createTraces({ body: { traces } });
  const rejected = results.find(({ status }) => status !== 202);
  if (rejected !== undefined)
    throw new Error(`a trace of the batch was refused: ${rejected.status} ${JSON.stringify(rejected.detail)}`);
};
