import * as v from "valibot";
import { traceSortColumns } from "../../domain/traces/sort.ts";
import { userSortColumns } from "../../domain/traces/user-summary.ts";
import { listOf, once, oneOf, page, paging, uuid } from "../fields.ts";
import { scoredSorting, sorting } from "../list-query.ts";
import { route } from "../route.ts";
import { traceFilterQuery } from "./filters.ts";
import { span, trace, traceListItem, userSummary } from "./trace.ts";
import { traceInput } from "./trace-input.ts";

const traceReceipt = v.pipe(
  v.object({ trace_id: uuid, task_id: v.string() }),
  v.title("TraceReceipt"),
  v.description("The trace is durable. `task_id` is the request's id."),
  v.examples([{ trace_id: "0b6c2f3e-6f0a-4f3e-9a53-1f8f6a1d2c01", task_id: "9a57bedc-dd72-4906-ab9a-d0cd43bb4d80" }]),
);

export const createTrace = route({
  id: "createTrace",
  method: "POST",
  repeats: "sent",
  path: "/traces",
  handler: "api/traces/create-trace",
  summary: "Store a trace; a trace sent again is merged",
  description:
    "What was accepted is durable and can be read at once. A trace whose `trace_id` is stored already is merged with it: " +
    "null and absent fields never overwrite a stored value, metadata merges by key, tags unite, spans merge by `span_id`.",
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

/** What a list of traces can be ordered by. */
export const traceSortBy = oneOf([...traceSortColumns, "score"]);

export const listTraces = route({
  id: "listTraces",
  method: "GET",
  path: "/traces",
  handler: "api/traces/list-traces",
  summary: "List traces",
  description:
    "Newest first, what every filter matches. `total` is exact; without a filter and by start it may lag behind writes by " +
    "seconds. A list that would have to read more than 2,000,000 traces is refused: narrow the range of starts.",
  access: "project",
  permission: "read",
  query: v.object({
    ...paging,
    ...traceFilterQuery,
    ...scoredSorting(traceSortBy),
    include: v.optional(
      v.pipe(
        listOf(oneOf(["scores", "preview"]), 2),
        v.description(
          "`scores`: the newest score of each name beside the item; they may lag by seconds. `preview`: the first words of its input.",
        ),
      ),
    ),
  }),
  success: 200,
  reply: page(traceListItem),
  grants: { rows: ["GetItem", "Query"], aggregates: ["Query", "BatchGetItem"], scores: ["Query"] },
  memory: 1769,
});

export const listUsers = route({
  id: "listUsers",
  method: "GET",
  path: "/traces/users",
  handler: "api/traces/list-users",
  summary: "List the users of traces",
  description: "Who was seen last first. Filters choose traces: a user is summed up over those that match.",
  access: "project",
  permission: "read",
  query: v.object({ ...paging, ...traceFilterQuery, ...sorting(userSortColumns) }),
  success: 200,
  reply: page(userSummary),
  grants: { rows: ["GetItem", "Query"], aggregates: ["Query", "BatchGetItem"], scores: ["Query"] },
  memory: 1769,
});

/** How much of a trace is read. */
export const traceFields = v.optional(
  once(
    v.pipe(
      oneOf(["all", "skeleton"]),
      v.description(
        "`skeleton`: spans come without their bodies, `input`, `output` and `model_parameters` null and `metadata` empty; " +
          "`GET /traces/{trace_id}/spans/{span_id}` reads one whole.",
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
  summary: "Read a trace with its spans",
  access: "project",
  permission: "read",
  params: v.object({ trace_id: uuid }),
  query: v.object({ fields: traceFields }),
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
  summary: "Read a span of a trace",
  access: "project",
  permission: "read",
  params: v.object({ trace_id: uuid, span_id: uuid }),
  success: 200,
  reply: span,
  grants: { bodies: ["GetItem", "Query"], rows: ["GetItem"] },
  streams: true,
});
