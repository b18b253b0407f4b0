import type { JsonObject } from "../json.ts";
import type { Score, ScoreDataType } from "./score.ts";
import { keptValue } from "./value.ts";
import type { Instant } from "../instant.ts";

/** A score as a person or a program sends it. */
export interface SubmittedScore {
  readonly name: string;
  readonly value: string;
  readonly data_type: ScoreDataType;
  readonly source: "ANNOTATION" | "PROGRAMMATIC";
  readonly reason?: string | null | undefined;
  readonly metadata?: JsonObject | null | undefined;
}

/**
 * What is kept of a submitted score, its target apart.
 *
 * @param author the user's id; null for an API key.
 */
export const submittedScore = (
  sent: SubmittedScore,
  made: { readonly id: string; readonly projectId: string; readonly author: string | null; readonly at: Instant },
): Score => ({
  id: made.id,
  project_id: made.projectId,
  name: sent.name,
  value: keptValue(sent.data_type, sent.value),
  data_type: sent.data_type,
  status: "SUCCESS",
  source: sent.source,
  reason: sent.reason ?? null,
  metadata: sent.metadata ?? {},
  eval_run_id: null,
  author_user_id: made.author,
  judge: null,
  applicable: true,
  inapplicable_code: null,
  original: null,
  evidence: null,
  evidence_dropped: null,
  created_at: made.at,
  updated_at: made.at,
});
