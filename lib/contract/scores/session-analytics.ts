import * as v from "valibot";
import { scoreStatuses } from "../../domain/scores/score.ts";
import { oneOf, page, pageLimit, paging, replyInstant, singleValue, text, uuid } from "../schema/fields.ts";
import { route } from "../route.ts";
import { scoreAnalyticsPath, judge, lagDescription, metricNameParameter } from "./analytics.ts";
import { stale } from "./fields.ts";
import { metricVersion } from "./filters.ts";

const nullableNumber = v.nullable(v.number());

const historyPoint = v.pipe(
  v.object({
    metric_name: v.string(),
    score: nullableNumber,
    applicable: v.pipe(
      v.nullable(v.boolean()),
      v.description("False if the metric is not applicable: `score` is then a conventional value."),
    ),
    eval_run_id: v.nullable(uuid),
    created_at: replyInstant,
    status: oneOf(scoreStatuses),
    stale,
  }),
  v.title("SessionScorePoint"),
  v.examples([
    {
      metric_name: "agent_reliability",
      score: 0.8125,
      applicable: true,
      eval_run_id: "d3b0a1de-8f5c-4c39-8a7e-2c1f4b6a9e02",
      created_at: "2026-11-21T09:00:05.000000+00:00",
      status: "SUCCESS",
      stale: false,
    },
  ]),
);

const comparedSession = v.pipe(
  v.object({
    session_id: v.string(),
    score: nullableNumber,
    evaluated_at: replyInstant,
    eval_run_id: v.nullable(uuid),
    stale,
  }),
  v.title("ComparedSession"),
  v.examples([
    {
      session_id: "chat-7",
      score: 0.8125,
      evaluated_at: "2026-11-21T09:00:05.000000+00:00",
      eval_run_id: "d3b0a1de-8f5c-4c39-8a7e-2c1f4b6a9e02",
      stale: false,
    },
  ]),
);

export const getSessionScoreHistory = route({
  id: "getSessionScoreHistory",
  method: "GET",
  path: `${scoreAnalyticsPath}/session-scores/history/{session_id}`,
  handler: "api/scores/get-session-score-history",
  summary: "Get session score history",
  description:
    "Returns the session's scores of any status but categories, oldest first. If there are more than `limit`, the oldest are omitted. " +
    "The list is empty if the session does not exist.",
  access: "project",
  permission: "read",
  params: v.object({ session_id: text(255) }),
  query: v.object({
    metric_name: v.optional(metricNameParameter),
    judge,
    metric_version: v.optional(singleValue(metricVersion)),
    limit: paging.limit,
  }),
  success: 200,
  reply: v.array(historyPoint),
  // Those of compareSessionScores, whose role it shares.
  grants: { rows: ["Query"], scores: ["Query"], aggregates: ["Query"] },
  warns: true,
});

export const compareSessionScores = route({
  id: "compareSessionScores",
  method: "GET",
  path: `${scoreAnalyticsPath}/session-scores/comparison`,
  handler: "api/scores/compare-session-scores",
  summary: "Compare session scores",
  description:
    "Returns the newest successful score of each session that has a number (true is 1, false 0), ordered by score, then by session id; sessions without a value " +
    `are last. ${lagDescription}`,
  access: "project",
  permission: "read",
  query: v.object({
    metric_name: metricNameParameter,
    judge,
    metric_version: v.optional(singleValue(metricVersion)),
    sort_order: v.optional(singleValue(oneOf(["asc", "desc"])), ["asc"]),
    limit: pageLimit(100, 20),
    offset: paging.offset,
    cursor: paging.cursor,
  }),
  success: 200,
  reply: page(comparedSession),
  grants: { rows: ["Query"], scores: ["Query"], aggregates: ["Query"] },
  warns: true,
  memory: 1024,
});
