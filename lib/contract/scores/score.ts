import * as v from "valibot";
import { uuid } from "../schema/fields.ts";
import { route } from "../route.ts";
import { sessionScore } from "./session-scores.ts";
import { scoreReading, traceScore } from "./trace-scores.ts";

export const getScore = route({
  id: "getScore",
  method: "GET",
  path: "/evaluations/scores/{score_id}",
  handler: "api/scores/get-score",
  summary: "Get a score",
  description: "Returns a score of a trace or of a session by the id of the score.",
  access: "project",
  permission: "read",
  params: v.object({ score_id: uuid }),
  success: 200,
  reply: v.pipe(
    v.union([traceScore, sessionScore]),
    v.title("Score"),
    v.description("A score of a trace, with `trace_id`, or of a session, with `session_id`."),
  ),
  grants: scoreReading,
});
