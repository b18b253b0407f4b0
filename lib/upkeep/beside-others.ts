import { late, within } from "../async/within.ts";
import { faultFields, logLine } from "../log.ts";
import { publishMetrics } from "../published-metrics.ts";
import type { Reconciliation } from "./reconcile-access.ts";

/** Milliseconds after which a pass begins nothing more. */
const passMilliseconds = 60_000;

/** Kept of its worker's time for what it has begun: a call of API Gateway's control plane may take 38 s. */
const reserve = 45_000;

/** Kept for the worker's own end, however long that takes. */
const lastMilliseconds = 5_000;

/**
 * Lets a pass run in a worker that has other work to do: it fails, and ends late, without its worker. What it could not do is
 * told of, and found again in the next round.
 */
export const besideOthers =
  (pass: (until: number) => Promise<Reconciliation>, now: () => number = Date.now) =>
  /** @param remaining milliseconds that the worker has. */
  async (remaining: number): Promise<void> => {
    try {
      const until = now() + Math.min(passMilliseconds, remaining - reserve);
      const done = await within(pass(until), Math.max(0, remaining - lastMilliseconds));
      if (done === late) throw new Error("The reconciliation did not end in time.");
      const { failures, ...report } = done;
      logLine("reconciled", { ...report });
      if (report.failed > 0)
        publishMetrics("reconciliation_failed", { FailedItems: report.failed }, faultFields(failures[0]));
    } catch (error) {
      publishMetrics("reconciliation_failed", { FailedItems: 1 }, faultFields(error));
    }
  };
