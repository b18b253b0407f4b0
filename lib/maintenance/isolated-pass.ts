import { timeoutResult, withTimeout } from "../async/concurrency.ts";
import { faultFields, logLine } from "../log.ts";
import { publishMetrics } from "../published-metrics.ts";
import type { Reconciliation } from "./reconcile-access.ts";

/** Milliseconds after which a pass starts no more work. */
const passMilliseconds = 60_000;

/** Milliseconds reserved for started work: a call to API Gateway's control plane may take 38 s. */
const callReserve = 45_000;

/** Milliseconds reserved for the worker to end its invocation. */
const endReserve = 5_000;

/**
 * Runs a reconciliation pass in a worker that has other work: an error or a timeout of the pass is logged and published as a
 * service metric but does not fail the worker. The next round of passes finds the unrepaired items again.
 */
export const isolatedPass =
  (pass: (until: number) => Promise<Reconciliation>, now: () => number = Date.now) =>
  /** @param remaining milliseconds left of the worker's invocation. */
  async (remaining: number): Promise<void> => {
    try {
      const until = now() + Math.min(passMilliseconds, remaining - callReserve);
      const result = await withTimeout(pass(until), Math.max(0, remaining - endReserve));
      if (result === timeoutResult) throw new Error("The reconciliation did not end in time.");
      const { failures, ...report } = result;
      logLine("reconciled", { ...report });
      if (report.failed > 0)
        publishMetrics("reconciliation_failed", { FailedItems: report.failed }, faultFields(failures[0]));
    } catch (error) {
      publishMetrics("reconciliation_failed", { FailedItems: 1 }, faultFields(error));
    }
  };
