import * as v from "valibot";
import { sortOrders } from "../domain/list-order.ts";
import { inJson } from "./json-schema.ts";
import { instant, listOf, once, oneOf, text } from "./fields.ts";

/** Query parameters by which lists of traces and of sessions are narrowed, and the parameter of an order. */
export const traceQuery = {
  user_id: v.optional(once(text(255))),
  /** Repeated: `tags=a&tags=b`. */
  tags: v.optional(v.pipe(listOf(text(255), 100), v.description("Any of these; repeat the parameter for each."))),
  started_after: v.optional(once(v.pipe(instant, v.description("Started then or later.")))),
  started_before: v.optional(once(v.pipe(instant, v.description("Started before then.")))),
};

/** `true` or `false`, in any case. */
export const booleanWord = v.pipe(
  v.string(),
  v.toLowerCase(),
  v.picklist(["true", "false"], "Input should be a valid boolean"),
  v.transform((word) => word === "true"),
  inJson({ type: "boolean" }),
);

/** A query parameter that is true or false. */
export const flag = once(booleanWord);

/** Query parameters of a list that can be ordered by one of some columns; the first is the default. */
export const sorting = <const Columns extends readonly [string, ...string[]]>(columns: Columns) => ({
  sort_by: v.optional(once(oneOf(columns)), [columns[0]]),
  sort_order: v.optional(
    once(v.pipe(oneOf(sortOrders), v.description("Nulls are last in both directions; equals are ordered by id."))),
    [sortOrders[0]],
  ),
});
