import * as v from "valibot";
import { json, jsonObject, text, arrayOf } from "../schema/fields.ts";
import { documentedBySchema } from "../schema/json-schema.ts";
import { route } from "../route.ts";
import { maxScores, scoreDescription, scoreGrants } from "./scores.ts";

/** Schema of an event, which is parsed apart from the others. */
export const langfuseEvent = v.object({
  id: text(255, 1),
  type: text(255, 1),
  timestamp: v.nullish(v.string()),
  body: v.nullish(json),
});

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
  summary: "Ingest Langfuse score events",
  description:
    "Accepts events of type `score-create`; each other event gets an error with status 400 in the reply. Traces must be sent over " +
    `OpenTelemetry (\`POST /api/public/otel/v1/traces\`), as the SDKs do from version 3 (Python) and 4 (JavaScript). ${scoreDescription}`,
  access: "project",
  permission: "ingest",
  scorePermission: "write",
  body: v.pipe(
    v.object({
      batch: v.pipe(arrayOf(langfuseEventItem), v.maxLength(maxScores, `Input should have at most ${maxScores} items`)),
      metadata: v.nullish(jsonObject),
    }),
    v.title("LangfuseIngestion"),
    v.examples([
      {
        batch: [
          {
            id: "7d0c4a8e-5f0b-4d1e-9d0e-6a1f2c3b4d5e",
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
  grants: scoreGrants,
});
