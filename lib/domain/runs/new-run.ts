import { noUsage } from "./judge-usage.ts";
import { noCounts, type Run, type RunOrder } from "./run.ts";

/** Creates a run in its initial state, as the response of the creating request shows it. */
export const newRun = (order: RunOrder): Run => ({
  order,
  status: "PENDING",
  ...noCounts,
  usage: noUsage,
  waitingFor: null,
  completedAt: null,
  errorMessage: null,
});
