import * as v from "valibot";
import { scoreSources } from "../../domain/scores/score.ts";
import { oneOf, page, paging, text, uuid } from "../fields.ts";
import { scoreSortColumns } from "../../domain/scores/filter.ts";
import { sorting } from "../list-query.ts";
import { route } from "../route.ts";
import {
  editDescription,
  listDescription,
  scoreEdit,
  scoreFields,
  scoreInputFields,
  suitsType,
  unsuitable,
} from "./fields.ts";
import { sessionScoreQuery } from "./filters.ts";

const signal = v.object({
  trace_id: uuid,
  trace_version: v.nullable(v.pipe(v.number(), v.integer())),
  name: v.string(),
  value: v.number(),
  score_id: uuid,
  source: oneOf(scoreSources),
  judge: v.pipe(v.nullable(v.string()), v.description("The judge's `id`; null of people and programs.")),
  model: v.nullable(v.string()),
  prompt_version: v.nullable(v.string()),
});

export const sessionScore = v.pipe(
  v.object({
    id: uuid,
    session_id: v.string(),
    project_id: uuid,
    ...scoreFields,
    session_version: v.pipe(
      v.nullable(v.string()),
      v.description("How many traces were judged, and a fingerprint of them and their versions."),
    ),
    signals: v.pipe(
      v.nullable(v.array(signal)),
      v.description(
        "The scores of its traces that it rests on: of the traces as they were then and, where the run named a model, by that " +
          "model; what people said counts whatever they saw. Of a long session those of the traces that `per_trace_signals` " +
          "shows; of a fold all that were folded. Null of people and programs, and of what could not be scored.",
      ),
    ),
  }),
  v.title("SessionScore"),
  v.description("A judgement of one session under one name."),
  v.examples([
    {
      id: "7c1f4b6a-6881-8d6f-9d83-272807e91cd2",
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
  v.forward(v.partialCheck([["value"], ["data_type"]], suitsType, unsuitable), ["value"]),
  v.title("SessionScoreInput"),
  v.examples([
    { session_id: "chat-7", name: "solved", value: "yes", data_type: "CATEGORICAL", source: "PROGRAMMATIC" },
  ]),
);

/** The gateway wants one name for siblings: a session's id to read, a score's id to change. */
const gatewayNames = { score_id: "session_or_score_id" };

const scoreParams = v.object({ score_id: uuid });

export const createSessionScore = route({
  id: "createSessionScore",
  method: "POST",
  repeats: "made",
  path: "/evaluations/session-scores",
  handler: "api/scores/create-session-score",
  summary: "Score a session",
  description: "By a person (ANNOTATION) or a program (PROGRAMMATIC). The session has to have a trace.",
  access: "project",
  permission: "write",
  body: sessionScoreInput,
  success: 201,
  reply: sessionScore,
  grants: { rows: ["Query", "ConditionCheckItem"], scores: ["GetItem", "PutItem", "DeleteItem"] },
});

export const listSessionScores = route({
  id: "listSessionScores",
  method: "GET",
  path: "/evaluations/session-scores",
  handler: "api/scores/list-session-scores",
  summary: "List scores of sessions",
  description: listDescription,
  access: "project",
  permission: "read",
  query: v.object({ ...paging, ...sessionScoreQuery, ...sorting(scoreSortColumns) }),
  success: 200,
  reply: page(sessionScore),
  grants: { rows: ["Query"], scores: ["Query", "BatchGetItem"], aggregates: ["Query"] },
  streams: true,
  memory: 1024,
});

export const getSessionScores = route({
  id: "getSessionScores",
  method: "GET",
  path: "/evaluations/session-scores/{score_id}",
  gatewayNames,
  handler: "api/scores/get-session-scores",
  summary: "Read all scores of a session, newest first",
  description: "By the session's id; none when there is no such session.",
  access: "project",
  permission: "read",
  params: v.object({ score_id: v.pipe(text(255), v.description("Here the id of a session.")) }),
  success: 200,
  reply: v.array(sessionScore),
  grants: { rows: ["Query"], scores: ["Query"] },
  streams: true,
});

export const updateSessionScore = route({
  id: "updateSessionScore",
  method: "PATCH",
  path: "/evaluations/session-scores/{score_id}",
  gatewayNames,
  handler: "api/scores/update-session-score",
  summary: "Edit a score of a session",
  description: `By the score's id. ${editDescription}`,
  access: "project",
  permission: "write",
  params: scoreParams,
  body: scoreEdit,
  success: 200,
  reply: sessionScore,
  grants: { rows: ["Query"], scores: ["GetItem", "PutItem"] },
});

export const deleteSessionScore = route({
  id: "deleteSessionScore",
  method: "DELETE",
  path: "/evaluations/session-scores/{score_id}",
  gatewayNames,
  handler: "api/scores/delete-session-score",
  summary: "Delete a score of a session",
  description: "By the score's id.",
  access: "project",
  permission: "write",
  params: scoreParams,
  success: 204,
  reply: v.void(),
  grants: { scores: ["GetItem", "DeleteItem"] },
});
