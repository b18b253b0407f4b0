import * as v from "valibot";
import { mostViolations, Refusal, type Reason, type Violation } from "../../domain/refusal.ts";
import { faultFields } from "../../log.ts";
import { publishMetrics } from "../../published-metrics.ts";
import { listForObject } from "../parse-request.ts";
import { refusalOf } from "../refusal-of.ts";
import { statusOf } from "../reply.ts";
import { violationsBody, violationsOf } from "../violations.ts";

/** An item of a batch, parsed as the body of a request of its own. @throws Refusal `invalid` with what is wrong. */
export const parseItem = <Schema extends v.GenericSchema>(schema: Schema, item: unknown): v.InferOutput<Schema> => {
  const flaw = listForObject(schema, item);
  if (flaw !== null) throw new Refusal({ kind: "invalid", violations: [flaw] });
  const result = v.safeParse(schema, item);
  if (result.success) return result.output;
  throw new Refusal({ kind: "invalid", violations: violationsOf("body", result.issues) });
};

/** What came of an item of a batch, as a request of its own would be answered. */
export interface ItemOutcome {
  readonly status: number;
  readonly detail?: string | (Violation & { loc: (string | number)[] })[];
  readonly errors?: { field: string; message: string }[];
}

/**
 * The outcome of an item that failed. A fault of ours or of the database is published and answered as a 503: the other items stand, and this one may
 * be sent again.
 */
export const failedItem = (error: unknown, requestId: string): ItemOutcome => {
  const refusal = refusalOf(error, () => 0);
  const reason: Reason = refusal?.reason ?? {
    kind: "unavailable",
    detail: "The service is busy. Try again in a moment.",
  };
  const status = statusOf(reason);
  if (status >= 500)
    publishMetrics("batch_item_failed", { FailedItems: 1 }, { request_id: requestId, ...faultFields(error) });
  if (reason.kind !== "invalid") return { status, detail: reason.detail };
  return { status, ...violationsBody(reason.violations) };
};

/** Outcomes of which as many violations are listed as a reply lists, the first of each item in any case. */
export const listed = <Outcome extends ItemOutcome>(outcomes: readonly Outcome[]): Outcome[] => {
  let room = mostViolations;
  return outcomes.map((outcome) => {
    if (!Array.isArray(outcome.detail)) return outcome;
    const most = Math.max(1, room);
    room -= outcome.detail.length;
    return { ...outcome, detail: outcome.detail.slice(0, most), errors: (outcome.errors ?? []).slice(0, most) };
  });
};
