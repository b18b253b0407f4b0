import { noUsage } from "./judge-usage.ts";
import { noCounts, type Run, type RunOrder } from "./run.ts";

/** A run as it begins, and as the request that makes it is answered. */
export const newRun = (order: RunOrder): Run => ({
  order,
  status: "PENDING",
  ...noCounts,
  usage: noUsage,
  waitingFor: null,
  completedAt: null,
  errorMessage: null,
});
