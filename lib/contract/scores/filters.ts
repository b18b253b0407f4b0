import * as v from "valibot";
import type { ScoreFilters } from "../../domain/scores/filter.ts";
import { scoreDataTypes, scoreSources, scoreStatuses } from "../../domain/scores/score.ts";
import { instant, once, oneOf, text, uuid } from "../fields.ts";

/** The query parameter that sets each filter, whichever target the scores have. */
const sharedParameters = {
  name: "name",
  source: "source",
  status: "status",
  eval_run_id: "eval_run_id",
  judge: "judge",
  date_from: "date_from",
  date_to: "date_to",
} as const;

/** A judge, by the version in its identity. */
export const judgeVersion = v.pipe(
  v.string(),
  v.regex(/^[0-9a-f]{12}$/u, "Input should be 12 hexadecimal digits"),
  v.description("The `version` of a score's judge: scores of one version and model were asked alike."),
);

const sharedQuery = {
  name: v.optional(once(v.pipe(text(1024), v.description("The metric's name, exactly.")))),
  source: v.optional(once(oneOf(scoreSources))),
  status: v.optional(once(oneOf(scoreStatuses))),
  eval_run_id: v.optional(once(uuid)),
  judge: v.optional(once(judgeVersion)),
  date_from: v.optional(once(v.pipe(instant, v.description("Created then or later.")))),
  date_to: v.optional(once(v.pipe(instant, v.description("Created before then.")))),
};

/** The query parameter that sets each filter of traces' scores. */
export const traceScoreParameters = {
  ...sharedParameters,
  target_id: "trace_id",
  data_type: "data_type",
  environment: "environment",
} as const satisfies Record<keyof ScoreFilters, string>;

/** Every filter of traces' scores, as queries have it. */
export const traceScoreQuery = {
  trace_id: v.optional(once(uuid)),
  ...sharedQuery,
  data_type: v.optional(once(oneOf(scoreDataTypes))),
  environment: v.optional(once(text(255))),
} satisfies Record<(typeof traceScoreParameters)[keyof ScoreFilters], v.GenericSchema>;

type SessionScoreFilter = Exclude<keyof ScoreFilters, "data_type" | "environment">;

/** The query parameter that sets each filter of sessions' scores: the interface has fewer of them. */
export const sessionScoreParameters = {
  ...sharedParameters,
  target_id: "session_id",
} as const satisfies Record<SessionScoreFilter, string>;

/** Every filter of sessions' scores, as queries have it. */
export const sessionScoreQuery = {
  session_id: v.optional(once(text(255))),
  ...sharedQuery,
} satisfies Record<(typeof sessionScoreParameters)[SessionScoreFilter], v.GenericSchema>;
