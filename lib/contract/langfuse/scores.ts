import * as v from "valibot";
import type { JsonObject } from "../../domain/json.ts";
import { integer, json, jsonObject, labelled, oneOf, text } from "../schema/fields.ts";
import { documentedBySchema } from "../schema/json-schema.ts";
import { route } from "../route.ts";

const shortText = v.nullish(text(255));

/** Ids of traces and spans that are zeros, which OpenTelemetry has for "none". */
const zeros = /^(?:0{16}|0{32}|0{8}-(?:0{4}-){3}0{12})$/u;

/** Schema of an id of a trace or an observation: any text, or a number. An empty text is the same as null. */
export const langfuseId = v.nullish(
  v.pipe(
    labelled(text(1024)),
    v.check((id) => !zeros.test(id), "Input should not be zeros"),
  ),
);

/** Schema of a session's id, which is shortened where telemetry shortens it too. */
const sessionId = v.nullish(labelled(v.string()));

/** Schema of a score in the form in which Langfuse's SDKs send it. */
export const langfuseScore = v.object({
  id: langfuseId,
  traceId: langfuseId,
  sessionId,
  observationId: langfuseId,
  datasetRunId: shortText,
  name: text(1024, 1),
  value: v.union([v.string(), v.number(), v.boolean()], "Input should be a number or a text"),
  dataType: v.nullish(oneOf(["NUMERIC", "CATEGORICAL", "BOOLEAN", "TEXT", "CORRECTION"])),
  comment: v.nullish(text(16_384)),
  metadata: v.nullish(json),
  environment: shortText,
  configId: shortText,
  source: v.nullish(v.string()),
});

export type LangfuseScore = v.InferOutput<typeof langfuseScore>;

/** Max scores per request. */
export const maxScores = 500;

/** True for a score that can be parsed; the others of a list are refused one by one. */
export const isScoreObject = (value: unknown): value is JsonObject => v.is(jsonObject, value);

/** Body of a score request: a single score, or a list of at most 500 scores. */
export const langfuseScores = v.pipe(
  v.custom<JsonObject | readonly unknown[]>(
    (value) => (Array.isArray(value) ? value.length <= maxScores : isScoreObject(value)),
    `Input should be a score, or a list of at most ${maxScores}`,
  ),
  documentedBySchema(
    v.union([
      v.pipe(langfuseScore, v.title("LangfuseScore")),
      v.pipe(v.array(v.pipe(langfuseScore, v.title("LangfuseScore"))), v.maxLength(maxScores)),
    ]),
  ),
  v.title("LangfuseScores"),
  v.description("A score or a list of scores, in the form of Langfuse's SDKs."),
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
        errors: v.array(
          v.object({
            index: v.pipe(integer, v.description("Place of the score in the list, from 0.")),
            message: v.string(),
          }),
        ),
      }),
      v.title("LangfuseScoresOutcome"),
    ),
  ]),
  v.title("LangfuseScoresReply"),
  v.description(
    "The id of a single score; for a list a confirmation, or the numbers of accepted and rejected scores with the errors.",
  ),
  v.examples([{ id: "b0f8c1d2e3a4f5b6" }]),
);

/** DynamoDB permissions to store Langfuse scores, including the creation of a trace that has not arrived yet. */
const scoreGrants = {
  bodies: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "DeleteItem"],
  rows: ["GetItem", "BatchGetItem", "Query", "PutItem", "UpdateItem", "ConditionCheckItem"],
  scores: ["GetItem", "BatchGetItem", "PutItem", "DeleteItem"],
  aggregates: ["PutItem", "UpdateItem"],
} as const;

/** Description of how Langfuse scores are stored, shared by the two routes that accept them. */
export const scoreDescription =
  "A score refers to the trace `traceId`, to its span `observationId` if present, or to " +
  "the session `sessionId`. `value` and `dataType` are stored as they are, with 1 and 0 of a BOOLEAN as true and false; `comment` " +
  "becomes the reason, and the source is PROGRAMMATIC, or with a bearer token ANNOTATION if `source` says so. A score can arrive before its trace, which " +
  "then starts empty until its spans arrive. A score of a dataset run, `datasetRunId`, is the experiment's own: `GET /experiments/{experiment_id}` " +
  "has it. A repeated `id` replaces value, comment and metadata of the score; " +
  "use `PATCH /evaluations/trace-scores/{score_id}` to change a score. CORRECTION scores and text values " +
  "longer than 255 characters are not supported.";

export const createLangfuseScores = route({
  id: "createLangfuseScores",
  method: "POST",
  path: "/api/public/scores",
  handler: "api/langfuse/create-scores",
  summary: "Create scores from Langfuse's SDKs",
  description: `${scoreDescription} Scores of a list are accepted or refused individually; a single score that is refused gives 422.`,
  access: "project",
  permission: "write",
  body: langfuseScores,
  success: 200,
  idempotency: "replay-by-header",
  reply,
  // The datasets of items, to which the same function links traces.
  grants: { ...scoreGrants, monitors: ["BatchGetItem", "Query"] },
});
