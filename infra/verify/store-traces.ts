import type { TraceInput } from "../../lib/client/interface.ts";
import type { Caller } from "./client/caller.ts";

/** Stores up to 100 traces in one request. @throws Error when one of them is not accepted. */
export const storeTraces = async (project: Caller, traces: readonly TraceInput[]): Promise<void> => {
  const { results } = await project.client.createTraces({ body: { traces } });
  const refused = results.find(({ status }) => status !== 202);
  if (refused !== undefined)
    throw new Error(`a trace of a batch was answered ${refused.status} ${JSON.stringify(refused.detail)}`);
};
