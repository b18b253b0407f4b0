import { notFound, type Refusal } from "../../domain/refusal.ts";
import type { ScoreTarget } from "../../store/scores/keys.ts";

type Params = { readonly trace_or_score_id: string } | { readonly session_or_score_id: string };

/** The id of the score that a path names: the gateway wants one name for the siblings of a path. */
export const scoreIdIn = (params: Params): string =>
  "trace_or_score_id" in params ? params.trace_or_score_id : params.session_or_score_id;

const nouns = { trace: "Trace score", session: "Session score" } as const;

export const scoreNotFound = ({ target }: { readonly target: ScoreTarget }, id: string): Refusal =>
  notFound(`${nouns[target]} ${id} not found.`);
