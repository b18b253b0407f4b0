import * as v from "valibot";
import type { JsonObject } from "../../domain/json.ts";
import { json, jsonObject, oneOf, text } from "../fields.ts";
import { inJson } from "../json-schema.ts";
import { route } from "../route.ts";

const word = v.nullish(text(255));

/** A score as Langfuse's SDKs send it. */
export const langfuseScore = v.object({
  id: word,
  traceId: word,
  sessionId: word,
  observationId: word,
  datasetRunId: word,
  name: text(1024, 1),
  value: v.union([v.string(), v.number(), v.boolean()], "Input should be a number or a text"),
  dataType: v.nullish(oneOf(["NUMERIC", "CATEGORICAL", "BOOLEAN", "TEXT", "CORRECTION"])),
  comment: v.nullish(text(16_384)),
  metadata: v.nullish(json),
  environment: word,
  configId: word,
  source: v.nullish(v.string()),
});

export type LangfuseScore = v.InferOutput<typeof langfuseScore>;

/** Scores in one request. */
export const mostScores = 500;

const isOne = (value: unknown): value is JsonObject => v.is(jsonObject, value);

/** One score or a list of them. */
export const langfuseScores = v.pipe(
  v.custom<JsonObject | readonly JsonObject[]>(
    (value) => (Array.isArray(value) ? value.length <= mostScores && value.every(isOne) : isOne(value)),
    `Input should be a score, or a list of at most ${mostScores}`,
  ),
  inJson({
    anyOf: [{ type: "object" }, { type: "array", items: { type: "object" }, maxItems: mostScores }],
  }),
  v.title("LangfuseScores"),
  v.description("One score, or a list of them, with the fields that Langfuse's SDKs give them."),
  v.examples([
    {
      id: "b0f8c1d2e3a4f5b6",
      traceId: "5b8efff798038103d269b633813fc60c",
      observationId: "eee19b7ec3c1b174",
      name: "helpful",
      value: 1,
      dataType: "BOOLEAN",
      comment: "The customer said so.",
    },
  ]),
);

const reply = v.pipe(
  v.union([
    v.pipe(v.object({ id: v.string() }), v.title("LangfuseScoreReceipt")),
    v.pipe(v.object({ message: v.literal("Accepted") }), v.title("LangfuseScoresReceipt")),
    v.pipe(
      v.object({
        accepted: v.pipe(v.number(), v.integer()),
        rejected: v.pipe(v.number(), v.integer()),
        errors: v.array(v.object({ message: v.string() })),
      }),
      v.title("LangfuseScoresOutcome"),
    ),
  ]),
  v.title("LangfuseScoresReply"),
  v.description("The id of one score; of a list that all was stored, or how many were not, and why."),
  v.examples([{ id: "b0f8c1d2e3a4f5b6" }]),
);

/** What Langfuse's scores are stored with; a trace that is not there yet is begun. */
export const scoreGrants = {
  bodies: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"],
  rows: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "ConditionCheckItem"],
  scores: ["GetItem", "PutItem", "DeleteItem"],
} as const;

/** How scores of Langfuse become ours. */
export const scoreDescription =
  "A score is of the trace `traceId` (32 hex digits, or our UUID), of its span `observationId` (16 hex digits) where that is " +
  "given, or of the session `sessionId`. `value` and `dataType` are those of our scores, 1 and 0 of a BOOLEAN being true and false; " +
  "`comment` is the reason, the source PROGRAMMATIC, or ANNOTATION where `source` says so. A score may come before its trace: that is " +
  "begun with nothing in it, and becomes what its spans say. The same `id` again stores nothing twice, and a changed value is " +
  "refused: `PATCH /evaluations/trace-scores/{score_id}` changes scores. Not taken are CORRECTION, scores of dataset runs, and texts " +
  "above 255 characters.";

export const createLangfuseScores = route({
  id: "createLangfuseScores",
  method: "POST",
  path: "/api/public/scores",
  handler: "api/langfuse/create-scores",
  summary: "Take scores where Langfuse's SDKs send them",
  description: `${scoreDescription} Of a list each score is taken or refused by itself; a single one that cannot be taken is 422.`,
  access: "project",
  permission: "write",
  body: langfuseScores,
  success: 200,
  repeats: "sent",
  reply,
  grants: scoreGrants,
});
