import * as v from "valibot";
import { scoreSources } from "../../domain/scores/score.ts";
import { oneOf, paging, text, uuid } from "../schema/fields.ts";
import { scoreSortColumns } from "../../domain/scores/filter.ts";
import { sorting } from "../list-query.ts";
import { scoreFields, scoreInputFields, matchesDataType, dataTypeError, withDataType } from "./fields.ts";
import { sessionScoreQuery } from "./filters.ts";
import { scoreTraceQuery } from "./trace-filters.ts";
import { scoreRoutes } from "./score-routes.ts";

const signal = v.object({
  trace_id: uuid,
  trace_version: v.nullable(v.pipe(v.number(), v.integer())),
  name: v.string(),
  value: v.number(),
  score_id: uuid,
  source: oneOf(scoreSources),
  judge: v.pipe(
    v.nullable(v.string()),
    v.description("The `id` of the judge; null for scores by people and programs."),
  ),
  model: v.nullable(v.string()),
  prompt_version: v.nullable(v.string()),
});

/** Schema of a session score in replies. */
export const sessionScore = v.pipe(
  v.object({
    id: uuid,
    session_id: v.string(),
    project_id: uuid,
    ...scoreFields,
    session_version: v.pipe(
      v.nullable(v.string()),
      v.description("Number of judged traces, followed by a fingerprint of their ids and versions."),
    ),
    signals: v.pipe(
      v.nullable(v.array(signal)),
      v.description(
        "Trace scores that the session score is computed from: scores of the judged trace versions, by the run's model if it named " +
          "one, and any scores by people. For long sessions only those of the traces in `per_trace_signals`, for `fold` metrics all of " +
          "them. Null for scores by people and programs, and for failed scores.",
      ),
    ),
  }),
  v.title("SessionScore"),
  v.description("A score of one session for one name."),
  v.examples([
    {
      id: "7c1f4b6a-6881-8d6f-9d83-272807e91cd2",
      external_id: null,
      session_id: "chat-7",
      project_id: "5e0c7e52-3f4b-4a53-9d0e-0d6a4d1c7b11",
      name: "agent_reliability",
      value: "0.8125",
      data_type: "NUMERIC",
      status: "SUCCESS",
      source: "AUTOMATED",
      reason: "One of four traces is at risk.",
      metadata: { threshold: 0.5, success: true },
      eval_run_id: "d3b0a1de-8f5c-4c39-8a7e-2c1f4b6a9e02",
      author_user_id: null,
      judge: {
        id: "assay/agent_reliability#0c2e7d91ab34",
        provider: "assay",
        model: "agent_reliability",
        version: "0c2e7d91ab34",
      },
      applicable: true,
      inapplicable_code: null,
      original: null,
      evidence: null,
      evidence_dropped: null,
      session_version: "4-9f3b2c1d0e5a",
      stale: false,
      signals: [
        {
          trace_id: "0b6c2f3e-6f0a-4f3e-9a53-1f8f6a1d2c01",
          trace_version: 1,
          name: "confidence",
          value: 0.75,
          score_id: "69077f9c-6881-8d6f-9d83-272807e91cd2",
          source: "AUTOMATED",
          judge: "openai/gpt-5.4-mini#3f9a1c5e7b20",
          model: "openai/gpt-5.4-mini",
          prompt_version: "1f0c9a7be322",
        },
      ],
      created_at: "2026-11-21T09:00:05.000000+00:00",
      updated_at: "2026-11-21T09:00:05.000000+00:00",
    },
  ]),
);

const sessionScoreInput = v.pipe(
  v.object({ session_id: text(255), ...scoreInputFields }),
  v.forward(v.partialCheck([["value"], ["data_type"]], matchesDataType, dataTypeError), ["value"]),
  v.transform(withDataType),
  v.title("SessionScoreInput"),
  v.examples([
    { session_id: "chat-7", name: "solved", value: "yes", data_type: "CATEGORICAL", source: "PROGRAMMATIC" },
  ]),
);

export const {
  createScore: createSessionScore,
  putScore: putSessionScore,
  listScores: listSessionScores,
  getScores: getSessionScores,
  updateScore: updateSessionScore,
  deleteScore: deleteSessionScore,
} = scoreRoutes("session", {
  score: sessionScore,
  input: sessionScoreInput,
  creationDescription:
    "Stores a score by a person (ANNOTATION) or a program (PROGRAMMATIC). The session must have a trace.",
  listQuery: v.object({ ...paging, ...scoreTraceQuery, ...sessionScoreQuery, ...sorting(scoreSortColumns) }),
  targetId: v.pipe(
    text(255),
    v.description("Id of the session; `GET /evaluations/scores/{score_id}` takes that of a score."),
  ),
  targetSummary: "Get scores of a session",
  targetDescription:
    "Returns all scores of the session with this id, newest first; the list is empty if the session does not exist.",
  grants: {
    create: { rows: ["Query", "ConditionCheckItem"], scores: ["GetItem", "PutItem", "DeleteItem"] },
    list: {
      rows: ["Query"],
      scores: ["Query", "BatchGetItem"],
      aggregates: ["Query", "BatchGetItem"],
      monitors: ["GetItem"],
    },
    // Those of the history, so that both have one role: an account has room for 1,000.
    get: { rows: ["Query"], scores: ["Query"], aggregates: ["Query"] },
    update: { rows: ["Query"], scores: ["GetItem", "PutItem"] },
  },
  listFiles: { searchesLake: true },
  memory: 512,
});
