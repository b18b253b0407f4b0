import * as v from "valibot";
import { granularities } from "../domain/bucket.ts";
import { instant, oneOf, once } from "./fields.ts";

/** Query parameters of everything that is told over time. */
export const analyticsRange = {
  granularity: v.optional(
    v.pipe(once(oneOf(granularities)), v.description("Buckets are UTC; a week begins on Monday.")),
    ["day"],
  ),
  started_after: v.pipe(once(instant), v.description("Started then or later.")),
  started_before: v.pipe(once(instant), v.description("Started before then.")),
};
