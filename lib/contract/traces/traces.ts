import * as v from "valibot";
import { maxSpansWithContent } from "../../domain/traces/limits.ts";
import { traceSortColumns } from "../../domain/traces/sort.ts";
import { userSortColumns } from "../../domain/traces/user-summary.ts";
import { externalId, listOf, singleValue, oneOf, page, paging, uuid } from "../schema/fields.ts";
import { scoredSorting, sorting } from "../list-query.ts";
import { route } from "../route.ts";
import { analyticsFilterQuery, textSearchQuery, traceFilterQuery, traceRangeQuery } from "./filters.ts";
import { searchedTraces } from "./searched-traces.ts";
import { span, trace, userSummary } from "./trace.ts";
import { traceInput } from "./trace-input.ts";

const traceReceipt = v.pipe(
  v.object({ trace_id: uuid, task_id: v.string() }),
  v.title("TraceReceipt"),
  v.description("Confirms that the trace is stored durably; `task_id` is the id of the request."),
  v.examples([{ trace_id: "0b6c2f3e-6f0a-4f3e-9a53-1f8f6a1d2c01", task_id: "9a57bedc-dd72-4906-ab9a-d0cd43bb4d80" }]),
);

export const createTrace = route({
  id: "createTrace",
  method: "POST",
  idempotency: "replay-by-header",
  path: "/traces",
  handler: "api/traces/create-trace",
  summary: "Store a trace",
  description:
    "An accepted trace is durable and can be read at once. A trace with a `trace_id` that already exists is merged: null and " +
    "absent fields never overwrite stored values, metadata is merged by key, tags are united, and spans are merged by `span_id`. " +
    "The id of a trace that was erased with its user is rejected for 24 hours (404, `trace_deleted`).",
  access: "project",
  permission: "ingest",
  body: traceInput,
  success: 202,
  reply: traceReceipt,
  limitPerMinute: 100,
  grants: {
    bodies: ["GetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"],
    rows: ["GetItem", "Query", "PutItem", "UpdateItem"],
  },
  memory: 1024,
});

/** Schema of the columns by which a list of traces can be sorted. */
export const traceSortBy = oneOf([...traceSortColumns, "score"]);

export const listTraces = route({
  id: "listTraces",
  method: "GET",
  path: "/traces",
  handler: "api/traces/list-traces",
  summary: "List traces",
  description:
    "Returns the traces that match all filters, by default newest first. `total` is exact, except that without filters and " +
    "sorted by start it may lag behind writes by seconds. Closed UTC days of a project with 100,000 traces are read from their files " +
    "(`/docs/exports`), where there are any: `total` and the order then lag behind changes of these days by seconds, and the traces themselves do not. " +
    "If 12 s are too short for the files, `X-Warnings` says that `total` lacks traces, and `next_cursor` goes on; an order other than by start is " +
    "refused. A request that would read more than 2,000,000 traces otherwise is refused; " +
    "use a smaller date range. With `q` traces are newest first, pages follow each other by cursor alone, and `total` counts the matches " +
    "up to the end of the page, which are all once `next_cursor` is null.",
  access: "project",
  permission: "read",
  query: v.object({
    ...paging,
    ...traceFilterQuery,
    ...textSearchQuery,
    ...scoredSorting(traceSortBy),
    include: v.optional(
      v.pipe(
        listOf(oneOf(["scores", "preview"]), 2),
        v.description(
          "`scores` adds the newest successful score of each name, which may lag behind writes by seconds; `preview` adds the beginning of the input.",
        ),
      ),
    ),
  }),
  success: 200,
  reply: searchedTraces,
  grants: {
    rows: ["GetItem", "Query"],
    // Texts, for `q`.
    bodies: ["GetItem", "BatchGetItem", "Query"],
    aggregates: ["Query", "BatchGetItem"],
    scores: ["Query"],
    // Versions of custom metrics.
    monitors: ["GetItem"],
  },
  searchesLake: true,
  warns: true,
  memory: 1769,
});

export const listUsers = route({
  id: "listUsers",
  method: "GET",
  path: "/traces/users",
  handler: "api/traces/list-users",
  summary: "List users",
  description:
    "Returns the users of the traces that match all filters, by default most recently seen first; totals cover the matching traces. " +
    "Closed UTC days are read as by `GET /traces`, and lag behind changes by seconds.",
  access: "project",
  permission: "read",
  query: v.object({ ...paging, ...traceRangeQuery, ...analyticsFilterQuery, ...sorting(userSortColumns) }),
  success: 200,
  reply: page(userSummary),
  grants: {
    rows: ["GetItem", "Query"],
    aggregates: ["Query", "BatchGetItem"],
    scores: ["Query"],
    // Versions of custom metrics.
    monitors: ["GetItem"],
  },
  searchesLake: true,
  warns: true,
  memory: 1769,
});

const skeletonText =
  "`skeleton` returns spans without content: `input`, `output` and `model_parameters` are null and `metadata` is empty; " +
  "use `GET /traces/{trace_id}/spans/{span_id}` for a complete span.";

/** Query parameter `fields` of trace and session reads: all fields, or spans without content. */
export const traceFields = v.optional(singleValue(v.pipe(oneOf(["all", "skeleton"]), v.description(skeletonText))), [
  "all",
]);

/** Query parameter `fields` of the read of one trace, whose answer may depend on its size. */
const fieldsBySize = v.optional(
  singleValue(
    v.pipe(
      oneOf(["all", "skeleton", "auto"]),
      v.description(
        `${skeletonText} \`auto\` is \`skeleton\` for a trace of more than ${maxSpansWithContent} spans, otherwise \`all\`.`,
      ),
    ),
  ),
  ["all"],
);

export const getTrace = route({
  id: "getTrace",
  method: "GET",
  path: "/traces/{trace_id}",
  handler: "api/traces/get-trace",
  summary: "Get a trace",
  description:
    "`trace_id` may be the text by which a client of another product identifies the trace, its `external_id`.",
  access: "project",
  permission: "read",
  params: v.object({ trace_id: externalId }),
  query: v.object({ fields: fieldsBySize }),
  success: 200,
  reply: trace,
  grants: { bodies: ["GetItem", "Query"], rows: ["GetItem"] },
  streams: true,
});

export const getSpan = route({
  id: "getSpan",
  method: "GET",
  path: "/traces/{trace_id}/spans/{span_id}",
  handler: "api/traces/get-span",
  summary: "Get a span",
  access: "project",
  permission: "read",
  params: v.object({ trace_id: uuid, span_id: uuid }),
  success: 200,
  reply: span,
  grants: { bodies: ["GetItem", "Query"], rows: ["GetItem"] },
  streams: true,
});

export const listSpans = route({
  id: "listSpans",
  method: "GET",
  path: "/traces/{trace_id}/spans",
  handler: "api/traces/list-spans",
  summary: "List spans of a trace",
  description: "Returns the spans of the trace by start and id.",
  access: "project",
  permission: "read",
  params: v.object({ trace_id: uuid }),
  query: v.object({ ...paging, fields: traceFields }),
  success: 200,
  reply: page(span),
  grants: { bodies: ["GetItem", "Query"], rows: ["GetItem"] },
  streams: true,
});
