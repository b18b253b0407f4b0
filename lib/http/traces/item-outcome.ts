import * as v from "valibot";
import { maxViolations, Refusal, type RefusalReason, type Violation } from "../../domain/refusal.ts";
import { faultFields } from "../../log.ts";
import { publishMetrics } from "../../published-metrics.ts";
import { listInsteadOfObject, unstorableValue } from "../parse-request.ts";
import { refusalOf } from "../refusal-of.ts";
import { statusOf } from "../reply.ts";
import { violationsBody, violationsOf } from "../violations.ts";

/** Parses an item of a batch like the body of a single request. @throws Refusal `invalid` with the violations. */
export const parseItem = <Schema extends v.GenericSchema>(schema: Schema, item: unknown): v.InferOutput<Schema> => {
  const flaw = unstorableValue(item) ?? listInsteadOfObject(schema, item);
  if (flaw !== null) throw new Refusal({ kind: "invalid", violations: [flaw] });
  const result = v.safeParse(schema, item);
  if (result.success) return result.output;
  throw new Refusal({ kind: "invalid", violations: violationsOf("body", result.issues) });
};

/** Result of one batch item, with the status and errors that a single request would get. */
export interface ItemOutcome {
  readonly status: number;
  readonly detail?: string | (Violation & { loc: (string | number)[] })[];
  readonly errors?: { field: string; message: string }[];
}

/**
 * Returns the outcome of a batch item that failed. An internal fault or a database outage is published as the service metric
 * `FailedItems` and answered with 503: the other items are unaffected and the client may send this item again.
 */
export const failedItem = (error: unknown, requestId: string): ItemOutcome => {
  const refusal = refusalOf(error, () => 0);
  const reason: RefusalReason = refusal?.reason ?? {
    kind: "unavailable",
    detail: "The service is busy. Try again in a moment.",
  };
  const status = statusOf(reason);
  if (status >= 500)
    publishMetrics("batch_item_failed", { FailedItems: 1 }, { request_id: requestId, ...faultFields(error) });
  if (reason.kind !== "invalid") return { status, detail: reason.detail };
  return { status, ...violationsBody(reason.violations) };
};

/** Cuts the violations of all batch items to the limit of one reply, but keeps at least one per failed item. */
export const limitViolations = <Outcome extends ItemOutcome>(outcomes: readonly Outcome[]): Outcome[] => {
  let remaining = maxViolations;
  return outcomes.map((outcome) => {
    if (!Array.isArray(outcome.detail)) return outcome;
    const limit = Math.max(1, remaining);
    remaining -= outcome.detail.length;
    return { ...outcome, detail: outcome.detail.slice(0, limit), errors: (outcome.errors ?? []).slice(0, limit) };
  });
};
