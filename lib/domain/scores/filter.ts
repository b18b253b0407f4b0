import type { Instant } from "../instant.ts";
import { scoreNumber } from "./number.ts";
import type { Score, ScoreDataType, ScoreSource, ScoreStatus } from "./score.ts";

/** Sort keys of a list of scores; the first is the default. */
export const scoreSortColumns = ["created_at", "value"] as const;
export type ScoreSortColumn = (typeof scoreSortColumns)[number];

/** Filters on attributes that are stored beside each score; all must match exactly. */
interface StoredFilters {
  /** Id of the target, a trace or session. */
  readonly target_id?: string | undefined;
  readonly name?: string | undefined;
  readonly source?: ScoreSource | undefined;
  readonly status?: ScoreStatus | undefined;
  readonly data_type?: ScoreDataType | undefined;
  readonly eval_run_id?: string | undefined;
  readonly environment?: string | undefined;
  /** Version or id of the judge's identity that gave the score; only the version is stored beside the score. */
  readonly judge?: string | undefined;
  /** Scores created at this time or later. */
  readonly date_from?: Instant | undefined;
  /** Scores created before this time. */
  readonly date_to?: Instant | undefined;
}

/** Filters on the content of scores. */
interface ContentFilters {
  /** Judge model, `<provider>/<model>` or the model alone. */
  readonly model?: string | undefined;
  /** Bounds of the value, inclusive; they match only scores with a number, see `scoreNumber`. */
  readonly min_value?: number | undefined;
  readonly max_value?: number | undefined;
  /** Value of `success` in the score's metadata. */
  readonly success?: boolean | undefined;
  readonly applicable?: boolean | undefined;
  readonly span_id?: string | undefined;
  /** Version of a custom metric, from the metadata. */
  readonly metric_version?: number | undefined;
}

/** Filters of a list of scores; all must match. */
export interface ScoreFilters extends StoredFilters, ContentFilters {
  /** True for scores whose target is known to have changed since it was judged. */
  readonly stale?: boolean | undefined;
}

/** Fields of a score that content filters read. */
export type FilteredScore = Pick<Score, "value" | "data_type" | "applicable" | "judge" | "metadata"> & {
  readonly span_id?: string | null;
};

type TestedFilters = ContentFilters & Pick<StoredFilters, "judge">;

/** Compiles the filters on the content of scores, and a judge's id; null if none is set. */
export const contentTest = (filters: TestedFilters): ((score: FilteredScore) => boolean) | null => {
  const { model, min_value: minValue, max_value: maxValue, success, applicable, span_id: span } = filters;
  const { metric_version: version } = filters;
  const tests: Readonly<Record<keyof TestedFilters, ((score: FilteredScore) => boolean) | null>> = {
    judge: filters.judge?.includes("#") === true ? ({ judge }) => judge?.id === filters.judge : null,
    model:
      model === undefined
        ? null
        : ({ judge }) => judge !== null && [judge.model, `${judge.provider ?? ""}/${judge.model}`].includes(model),
    min_value: minValue === undefined ? null : (score) => (scoreNumber(score) ?? Number.NEGATIVE_INFINITY) >= minValue,
    max_value: maxValue === undefined ? null : (score) => (scoreNumber(score) ?? Number.POSITIVE_INFINITY) <= maxValue,
    success: success === undefined ? null : ({ metadata }) => metadata["success"] === success,
    applicable: applicable === undefined ? null : (score) => score.applicable === applicable,
    span_id: span === undefined ? null : (score) => score.span_id === span,
    metric_version: version === undefined ? null : ({ metadata }) => metadata["metric_version"] === version,
  };
  const activeTests = Object.values(tests).filter((test) => test !== null);
  return activeTests.length === 0 ? null : (score) => activeTests.every((test) => test(score));
};
