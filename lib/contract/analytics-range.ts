import * as v from "valibot";
import { granularities } from "../domain/analytics/bucket.ts";
import { instant, oneOf, once } from "./fields.ts";

/** Query parameters of every figure over time. */
export const analyticsRange = {
  granularity: v.optional(
    once(v.pipe(oneOf(granularities), v.description("Buckets are UTC; a week begins on Monday."))),
    ["day"],
  ),
  started_after: v.optional(
    once(v.pipe(instant, v.description("Started then or later; a week before the end when absent."))),
  ),
  started_before: v.optional(once(v.pipe(instant, v.description("Started before then; now when absent.")))),
};
