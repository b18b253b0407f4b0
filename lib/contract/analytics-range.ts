import * as v from "valibot";
import { granularities } from "../domain/analytics/bucket.ts";
import { instant, oneOf, singleValue } from "./schema/fields.ts";

/** Query parameters of analytics routes: the size of time buckets, and the range of start times. */
export const analyticsRange = {
  granularity: v.optional(
    singleValue(
      v.pipe(
        oneOf(granularities),
        v.description("Size of the time buckets, which are in UTC; a week starts on Monday."),
      ),
    ),
    ["day"],
  ),
  started_after: v.optional(
    singleValue(v.pipe(instant, v.description("Start of the range, inclusive; one week before its end if absent."))),
  ),
  started_before: v.optional(
    singleValue(v.pipe(instant, v.description("End of the range, exclusive; now if absent."))),
  ),
};
