import type { Instant } from "../instant.ts";
import type { Score, ScoreDataType, ScoreSource, ScoreStatus } from "./score.ts";

/** What a list of scores can be ordered by; the first is the default. */
export const scoreSortColumns = ["created_at", "value"] as const;
export type ScoreSortColumn = (typeof scoreSortColumns)[number];

/** What a list of scores is narrowed to by what is stored beside each of them; all of it must match exactly. */
interface StoredFilters {
  /** Id of the trace or of the session. */
  readonly target_id?: string | undefined;
  readonly name?: string | undefined;
  readonly source?: ScoreSource | undefined;
  readonly status?: ScoreStatus | undefined;
  readonly data_type?: ScoreDataType | undefined;
  readonly eval_run_id?: string | undefined;
  readonly environment?: string | undefined;
  /** The version in a judge's identity. */
  readonly judge?: string | undefined;
  /** Created then or later. */
  readonly date_from?: Instant | undefined;
  /** Created before then. */
  readonly date_to?: Instant | undefined;
}

/** What only the scores themselves tell. */
interface ContentFilters {
  /** `<provider>/<model>` of the judge, or the model alone. */
  readonly model?: string | undefined;
  /** Inclusive, of numbers that apply. */
  readonly min_value?: number | undefined;
  readonly max_value?: number | undefined;
  /** What metadata say. */
  readonly success?: boolean | undefined;
  readonly applicable?: boolean | undefined;
  readonly span_id?: string | undefined;
  /** What metadata say: the version of a project's own metric. */
  readonly metric_version?: number | undefined;
}

/** What a list of scores is narrowed to; all of it must match. */
export interface ScoreFilters extends StoredFilters, ContentFilters {
  /** Whether what was judged has changed since, as far as that is known. */
  readonly stale?: boolean | undefined;
}

/** What filters of content look at. */
export type FilteredScore = Pick<Score, "value" | "data_type" | "applicable" | "judge" | "metadata"> & {
  readonly span_id?: string | null;
};

/** A score's value as a number; null where it is none, or does not apply. */
export const numberOf = ({ value, data_type, applicable }: FilteredScore): number | null =>
  data_type !== "NUMERIC" || value === null || applicable === false ? null : Number(value);

/** The test of what only scores themselves tell; null when nothing of it is asked. */
export const contentTest = (filters: ContentFilters): ((score: FilteredScore) => boolean) | null => {
  const { model, min_value: least, max_value: most, success, applicable, span_id: span } = filters;
  const { metric_version: version } = filters;
  const tests: Readonly<Record<keyof ContentFilters, ((score: FilteredScore) => boolean) | null>> = {
    model:
      model === undefined
        ? null
        : ({ judge }) => judge !== null && [judge.model, `${judge.provider ?? ""}/${judge.model}`].includes(model),
    min_value: least === undefined ? null : (score) => (numberOf(score) ?? Number.NEGATIVE_INFINITY) >= least,
    max_value: most === undefined ? null : (score) => (numberOf(score) ?? Number.POSITIVE_INFINITY) <= most,
    success: success === undefined ? null : ({ metadata }) => metadata["success"] === success,
    applicable: applicable === undefined ? null : (score) => score.applicable === applicable,
    span_id: span === undefined ? null : (score) => score.span_id === span,
    metric_version: version === undefined ? null : ({ metadata }) => metadata["metric_version"] === version,
  };
  const set = Object.values(tests).filter((test) => test !== null);
  return set.length === 0 ? null : (score) => set.every((test) => test(score));
};
