import * as v from "valibot";
import { integer, page, replyInstant } from "../schema/fields.ts";
import { traceListItem } from "./trace.ts";

const instantOrNull = v.nullable(replyInstant);

const searchedPart = v.pipe(
  v.object({
    rows: integer,
    documents: integer,
    skipped: integer,
    indexed_days: integer,
    from: instantOrNull,
    to: instantOrNull,
  }),
  v.title("SearchedPart"),
  v.description(
    "With `q`: what was searched for the page. `rows` were read and filtered, some of them ahead of the last that was searched; the texts of `documents` " +
      "were searched, but for `skipped`, which are damaged. Of `indexed_days`, which are UTC days with an index of words, only " +
      "traces that may match were read. These start from `from` on, before or at `to`; null for no bound. Else absent.",
  ),
);

/** Schema of a page of traces, which says with `q` what was searched. */
export const searchedTraces = v.pipe(
  v.object({
    ...page(traceListItem).entries,
    searched_to: v.pipe(
      v.optional(instantOrNull),
      v.description("With `q`: start of the oldest trace that was searched so far; null once all were. Else absent."),
    ),
    searched: v.optional(searchedPart),
  }),
  v.title("TracePage"),
);
