import type { JsonObject } from "../json.ts";
import type { MaskingRules } from "../masking/rules.ts";
import { maskScore } from "./mask.ts";
import type { Score, ScoreDataType } from "./score.ts";
import { normalizeValue } from "./value.ts";
import type { Instant } from "../instant.ts";

/** A score submitted by a person or a program. */
export interface SubmittedScore {
  readonly name: string;
  readonly value: string;
  readonly data_type: ScoreDataType;
  readonly source: "ANNOTATION" | "PROGRAMMATIC";
  readonly reason?: string | null | undefined;
  readonly metadata?: JsonObject | null | undefined;
}

/**
 * Builds the stored score from a submitted one, without its target. The project's masking applies to all that a client sends of it.
 *
 * @param context id, project and time of the score; `author` is a user id, or null for an API key.
 */
export const submittedScore = (
  submitted: SubmittedScore,
  context: {
    readonly id: string;
    /** Id in another product that `id` is made from. */
    readonly externalId?: string | null;
    readonly project: { readonly id: string; readonly masking: MaskingRules };
    readonly author: string | null;
    readonly at: Instant;
  },
): Score => {
  const input = maskScore(context.project.masking, submitted, submitted.data_type);
  return {
    id: context.id,
    external_id: context.externalId ?? null,
    project_id: context.project.id,
    name: input.name,
    value: normalizeValue(input.data_type, input.value),
    data_type: input.data_type,
    status: "SUCCESS",
    source: input.source,
    reason: input.reason ?? null,
    metadata: input.metadata ?? {},
    eval_run_id: null,
    author_user_id: context.author,
    judge: null,
    applicable: true,
    inapplicable_code: null,
    original: null,
    evidence: null,
    evidence_dropped: null,
    created_at: context.at,
    updated_at: context.at,
  };
};
