import * as v from "valibot";
import { instantAt } from "../../domain/instant.ts";
import { isObject } from "../../domain/json.ts";
import { arrayOf, externalId, instant, json, labelled, text, uuid } from "../schema/fields.ts";
import { describedAs, documentedBySchema } from "../schema/json-schema.ts";
import { route } from "../route.ts";

const shortText = v.nullish(labelled(text(1024)));
const id = v.nullish(externalId);

/** End of the year 9999, in milliseconds since 1970. */
const maxMilliseconds = 253_402_300_799_999;

/** Schema of milliseconds since 1970, converted to an instant. */
const milliseconds = v.pipe(
  v.number(),
  v.minValue(0),
  v.maxValue(maxMilliseconds),
  v.transform(instantAt),
  describedAs({ type: "number", minimum: 0, maximum: maxMilliseconds }),
);

/** Schema of an instant of a run: ISO 8601, or milliseconds, as the JavaScript SDK sends it. */
const time = v.nullish(
  v.union([instant, milliseconds], "Input should be a valid datetime, or milliseconds since 1970"),
);

/** Schema of a run's free-form data; a value that is no object is kept under the field's name. */
const extra = v.pipe(
  json,
  v.transform((value) => (value === null || isObject(value) ? value : { extra: value })),
  describedAs({ type: "object" }),
);

const runEntries = {
  trace_id: id,
  dotted_order: v.nullish(v.string()),
  parent_run_id: id,
  name: v.nullish(labelled(v.string())),
  run_type: shortText,
  session_name: shortText,
  session_id: v.nullish(uuid),
  start_time: time,
  end_time: time,
  inputs: v.nullish(json),
  outputs: v.nullish(json),
  error: v.nullish(json),
  events: v.nullish(json),
  extra: v.nullish(extra),
  serialized: v.nullish(json),
  tags: v.nullish(json),
  attachments: v.nullish(json),
  reference_example_id: id,
};

/** Schema of a run as LangSmith's SDKs send it: a new run, or the fields of a run that has ended. */
export const langsmithRun = v.object({ id: externalId, ...runEntries });

export type LangsmithRun = v.InferOutput<typeof langsmithRun>;

/** Media type of the SDKs' batches; the API gateway is configured to treat it as binary. */
export const multipartType = "multipart/form-data";

/** Max new runs, and changes of runs, of a request; the SDKs send at most 100 unless configured otherwise. */
export const maxRuns = 2_000;

/** Max feedbacks of a request, each of which is stored on its own: 2 s of computing. */
const maxFeedback = 500;

/** Schema of an item, which is checked apart from the others. */
const item = v.pipe(json, describedAs({ type: "object" }));

const itemList = (max: number) => v.pipe(arrayOf(item), v.maxLength(max, `Input should have at most ${max} items`));

/** Schema of the items of one kind; any other value than a list is a single item. */
const items = (max: number) =>
  v.nullish(
    v.pipe(
      v.unknown(),
      v.transform((value) => (Array.isArray(value) ? value : [value])),
      itemList(max),
      documentedBySchema(itemList(max)),
    ),
  );

const batch = v.pipe(
  v.looseObject({ post: items(maxRuns), patch: items(maxRuns), feedback: items(maxFeedback) }),
  v.title("LangsmithBatch"),
  v.description("New runs (`post`), changes of runs (`patch`) and feedback."),
  v.examples([
    {
      post: [
        {
          id: "0193e3f2-5b1c-7000-8000-0123456789ab",
          trace_id: "0193e3f2-5b1c-7000-8000-0123456789ab",
          dotted_order: "20261121T090000000000Z0193e3f2-5b1c-7000-8000-0123456789ab",
          name: "support_agent",
          run_type: "chain",
          inputs: { question: "Where is my order 1042?" },
          session_name: "support",
        },
      ],
      patch: [],
      feedback: [],
    },
  ]),
);

export type LangsmithBatch = v.InferOutput<typeof batch>;

const receipt = v.pipe(
  v.object({ message: v.string() }),
  v.title("LangsmithReceipt"),
  v.examples([{ message: "Accepted" }]),
);

const shared = {
  handler: "api/langsmith/serve-langsmith",
  access: "project",
  permission: "ingest",
  scorePermission: "write",
  namesProjects: true,
  protocol: "langsmith",
  grants: {
    bodies: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"],
    rows: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "ConditionCheckItem"],
    scores: ["GetItem", "BatchGetItem", "PutItem", "DeleteItem"],
    access: { Query: ["organization"], BatchGetItem: ["project"] },
  },
  memory: 1769,
} as const;

/** Returns the properties that all routes of LangSmith's SDKs share: one function serves them. */
export const sharedProperties = () => shared;

const projectText =
  "The runs go to the project of the API key if it is limited to one, else to `X-Project-Name` or their `session_name` " +
  "(`LANGSMITH_PROJECT`), else to `default`. ";

export const ingestLangsmithRuns = route({
  ...shared,
  id: "ingestLangsmithRuns",
  method: "POST",
  path: "/langsmith/runs/multipart",
  summary: "Ingest runs from LangSmith's SDKs",
  description:
    "Set `LANGSMITH_TRACING=true`, `LANGSMITH_ENDPOINT` to the URL of the service with `/langsmith`, `LANGSMITH_API_KEY` to an API key of " +
    "this service and `LANGSMITH_PROJECT` to the name of a project. Runs become spans, read like those of LangSmith's OpenTelemetry mode: " +
    "`session_id`, `thread_id` or `conversation_id` in a run's metadata is the session. A run's id is the id of its span, and its " +
    `\`trace_id\` that of its trace. ${projectText}` +
    "A run may be sent unfinished and then completed, in any order and repeatedly. The body is `multipart/form-data` with the parts " +
    "`post.<id>`, `patch.<id>` and their fields (`post.<id>.inputs`), and `feedback.<id>`, or JSON. Attachments are not stored, only their " +
    "names. Runs and feedback that cannot be stored are named in `X-Warnings`, beside parts and fields that are not read; if none can be " +
    "stored, they are named in a 422. An id that is no UUID is replaced by the UUID (version 5) that it names in the namespace of the project's id, and kept in " +
    "the metadata `langsmith.run_id` and `langsmith.trace_id`.",
  body: batch,
  success: 202,
  idempotency: "replay-by-header",
  reply: receipt,
});

export const ingestLangsmithBatch = route({
  ...shared,
  id: "ingestLangsmithBatch",
  answeredBy: ingestLangsmithRuns.id,
  method: "POST",
  path: "/langsmith/runs/batch",
  summary: "Ingest a JSON batch of runs",
  description: `Same as \`POST ${ingestLangsmithRuns.path}\`, for clients that send JSON.`,
  body: batch,
  success: 202,
  idempotency: "replay-by-header",
  reply: receipt,
});

export const createLangsmithRun = route({
  ...shared,
  id: "createLangsmithRun",
  answeredBy: ingestLangsmithRuns.id,
  method: "POST",
  path: "/langsmith/runs",
  summary: "Create a LangSmith run",
  description:
    "Stores one run, with `dotted_order`, or with `start_time`. A run with a `parent_run_id` and without `trace_id` is stored in the " +
    "trace of that id: its parent is then the root.",
  body: v.pipe(v.looseObject({ id: externalId, ...runEntries }), v.title("LangsmithRun")),
  success: 202,
  idempotency: "replay-by-header",
  reply: receipt,
});

export const updateLangsmithRun = route({
  ...shared,
  id: "updateLangsmithRun",
  answeredBy: ingestLangsmithRuns.id,
  method: "PATCH",
  path: "/langsmith/runs/{run_id}",
  summary: "Complete a LangSmith run",
  description: "Changes a run. Without `trace_id` and `dotted_order` the run is the root of its trace.",
  params: v.object({ run_id: externalId }),
  body: v.pipe(v.looseObject(runEntries), v.title("LangsmithRunUpdate")),
  success: 202,
  reply: receipt,
});
