import * as v from "valibot";
import type { Grants } from "../../dynamo/table.ts";
import { paging, uuid } from "../schema/fields.ts";
import { scoreSortColumns } from "../../domain/scores/filter.ts";
import { sorting } from "../list-query.ts";
import { scoreFields, scoreInputFields, matchesDataType, dataTypeError, withDataType } from "./fields.ts";
import { traceScoreQuery } from "./filters.ts";
import { scoreTraceQuery } from "./trace-filters.ts";
import { scoreRoutes } from "./score-routes.ts";

/** Schema of a trace score in replies. */
export const traceScore = v.pipe(
  v.object({
    id: uuid,
    trace_id: uuid,
    project_id: uuid,
    ...scoreFields,
    environment: v.pipe(v.nullable(v.string()), v.description("Environment of the trace.")),
    config_id: v.nullable(v.string()),
    span_id: v.pipe(v.nullable(uuid), v.description("Span that the score refers to; null for the whole trace.")),
    trace_version: v.pipe(
      v.nullable(v.pipe(v.number(), v.integer())),
      v.description("Version of the trace that was judged."),
    ),
    content_version: v.pipe(
      v.nullable(v.pipe(v.number(), v.integer())),
      v.description(
        "Version of the trace's content, which tags, environment, release, user and session do not change. Of scores about one content version a person's outranks those of " +
          "judges and programs. Null if unknown, as for scores stored before this field existed.",
      ),
    ),
  }),
  v.title("TraceScore"),
  v.description("A score of one trace, or of one of its spans, for one name."),
  v.examples([
    {
      id: "69077f9c-6881-8d6f-9d83-272807e91cd2",
      external_id: null,
      trace_id: "0b6c2f3e-6f0a-4f3e-9a53-1f8f6a1d2c01",
      project_id: "5e0c7e52-3f4b-4a53-9d0e-0d6a4d1c7b11",
      name: "tool_correctness",
      value: "1.0",
      data_type: "NUMERIC",
      status: "SUCCESS",
      source: "AUTOMATED",
      reason: "One tool call, none failed.",
      metadata: { model: "offline/rules", threshold: 0.5, success: true },
      eval_run_id: "d3b0a1de-8f5c-4c39-8a7e-2c1f4b6a9e02",
      author_user_id: null,
      judge: { id: "offline/rules#3f9a1c5e7b20", provider: "offline", model: "rules", version: "3f9a1c5e7b20" },
      applicable: true,
      inapplicable_code: null,
      original: null,
      evidence: [{ span_id: "9f1d6a52-0c0b-4d7e-a7a4-5b8f0e3c2d14", quote: "The refund was made." }],
      evidence_dropped: 0,
      span_id: null,
      trace_version: 1,
      content_version: 1,
      stale: false,
      environment: "production",
      config_id: null,
      created_at: "2026-11-21T09:00:05.000000+00:00",
      updated_at: "2026-11-21T09:00:05.000000+00:00",
    },
  ]),
);

/** Grants of the functions that read scores of traces, or labels of them: equal ones share a role, and an account has room for 1,000. */
export const scoreReading = {
  bodies: ["GetItem", "BatchGetItem"],
  rows: ["GetItem", "BatchGetItem", "Query"],
  scores: ["Query", "BatchGetItem"],
  aggregates: ["Query", "BatchGetItem"],
  monitors: ["GetItem", "BatchGetItem", "Query"],
} as const satisfies Grants;

const traceScoreInput = v.pipe(
  v.object({
    trace_id: uuid,
    span_id: v.pipe(
      v.nullish(uuid),
      v.description("Span of the trace that the score refers to, null for the whole trace; an unknown span gives 404."),
    ),
    ...scoreInputFields,
  }),
  v.forward(v.partialCheck([["value"], ["data_type"]], matchesDataType, dataTypeError), ["value"]),
  v.transform(withDataType),
  v.title("TraceScoreInput"),
  v.examples([
    {
      trace_id: "0b6c2f3e-6f0a-4f3e-9a53-1f8f6a1d2c01",
      name: "helpful",
      value: "true",
      data_type: "BOOLEAN",
      source: "ANNOTATION",
      reason: "The customer said so.",
    },
  ]),
);

export const {
  createScore: createTraceScore,
  putScore: putTraceScore,
  listScores: listTraceScores,
  getScores: getTraceScores,
  updateScore: updateTraceScore,
  deleteScore: deleteTraceScore,
} = scoreRoutes("trace", {
  score: traceScore,
  input: traceScoreInput,
  creationDescription:
    "Stores a score by a person (ANNOTATION) or a program (PROGRAMMATIC). A trace can have several scores of one name; the newest " +
    "counts, and of scores about the same content of the trace the newest by a person.",
  listQuery: v.object({ ...paging, ...scoreTraceQuery, ...traceScoreQuery, ...sorting(scoreSortColumns) }),
  targetId: v.pipe(uuid, v.description("Id of the trace; `GET /evaluations/scores/{score_id}` takes that of a score.")),
  targetSummary: "Get latest scores of a trace",
  targetDescription:
    "Returns the newest score of each name of the trace with this id, a person's before those of judges and programs about the same content, " +
    "ordered by name; the list is empty if the trace does not exist. " +
    "The id of a score gives 404: read it with `GET /evaluations/scores/{score_id}`.",
  grants: {
    create: {
      bodies: ["GetItem", "Query"],
      rows: ["GetItem", "BatchGetItem", "ConditionCheckItem"],
      scores: ["GetItem", "PutItem", "DeleteItem"],
    },
    list: scoreReading,
    get: scoreReading,
    update: { rows: ["BatchGetItem"], scores: ["GetItem", "PutItem"] },
  },
  // Their role, which other readers of scores have, too, starts no function.
  listFiles: {},
  memory: 1024,
});
