import * as v from "valibot";
import { jsonObject, arrayOf } from "../schema/fields.ts";
import { documentedBySchema } from "../schema/json-schema.ts";
import { route } from "../route.ts";
import { langfuseEvent } from "./events.ts";
import { createLangfuseScores, maxScores, scoreDescription } from "./scores.ts";

/** Max events of a request, of which at most `maxScores` are scores. The SDKs send at most 100 unless configured otherwise. */
const maxEvents = 10_000;

/** Schema of an event in a batch, which takes any value. */
export const langfuseEventItem = v.pipe(v.unknown(), documentedBySchema(langfuseEvent));

const status = v.pipe(v.number(), v.integer());

const reply = v.pipe(
  v.object({
    successes: v.array(v.object({ id: v.string(), status })),
    errors: v.array(v.object({ id: v.string(), status, message: v.string(), error: v.string() })),
  }),
  v.title("LangfuseIngestionReply"),
  v.description("Result of each event, by its id."),
  v.examples([{ successes: [{ id: "7d0c4a8e-5f0b-4d1e-9d0e-6a1f2c3b4d5e", status: 201 }], errors: [] }]),
);

export const ingestLangfuse = route({
  id: "ingestLangfuse",
  method: "POST",
  path: "/api/public/ingestion",
  handler: "api/langfuse/ingest",
  summary: "Ingest events from Langfuse's SDKs",
  description:
    "The protocol of Langfuse's SDKs before version 4 (JavaScript) and 3 (Python), and of programs that speak it: set the base URL to that " +
    "of this service, the public key to the name of a project and the secret key to an API key. Takes `trace-create`, `span-create`, " +
    "`generation-create`, `event-create`, `observation-create`, their updates (`span-update`), `score-create`, and `sdk-log`, of which " +
    "nothing is stored. Observations become spans, read like those of `POST /api/public/otel/v1/traces`. Events may come in any order, in " +
    "several requests and repeatedly: a field that an update sets wins over one of a create, else the later event by `timestamp`, of " +
    "different requests the later request. What a `trace-create` sets wins over what the spans tell; a trace starts at its earliest " +
    "`timestamp`, or with an earlier span. An id that is a UUID or has 32 hex digits (16 for an observation) is kept; any other text is " +
    "replaced by the UUID (version 5) that it names in the namespace of the project, for an observation of the trace, and shown as " +
    "`external_id`. Nothing is stored of the `metadata` of a batch and of an event, which describe the sending. An update without `traceId` needs the create of its observation in the same request, or one that named no trace; a score " +
    "of a session needs a trace of it before. Texts that are JSON are read as what they say. Each event has its own result; an event that cannot be stored does not prevent the others from being stored. Traces " +
    `that cannot be stored within seven seconds give 429: send the request again. At most ${maxScores} scores a request. ${scoreDescription}`,
  access: "project",
  permission: "ingest",
  scorePermission: "write",
  body: v.pipe(
    v.looseObject({
      batch: v.pipe(arrayOf(langfuseEventItem), v.maxLength(maxEvents, `Input should have at most ${maxEvents} items`)),
      metadata: v.nullish(jsonObject),
    }),
    v.title("LangfuseIngestion"),
    v.examples([
      {
        batch: [
          {
            id: "7d0c4a8e-5f0b-4d1e-9d0e-6a1f2c3b4d5e",
            type: "trace-create",
            timestamp: "2026-11-21T09:00:00Z",
            body: { id: "5b8efff798038103d269b633813fc60c", name: "support_agent", userId: "u-1" },
          },
          {
            id: "f2a4c6e8-1b3d-4f5a-8c7e-9d0b1a2c3e4f",
            type: "score-create",
            timestamp: "2026-11-21T09:00:05Z",
            body: { traceId: "5b8efff798038103d269b633813fc60c", name: "helpful", value: 0.9 },
          },
        ],
      },
    ]),
  ),
  success: 207,
  idempotency: "replay-by-header",
  reply,
  // Those of scores and links too, whose role it shares: an account has room for 1,000 roles.
  grants: createLangfuseScores.grants,
  memory: 1769,
});
