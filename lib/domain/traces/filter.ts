import { foldForSearch } from "./search/case-folding.ts";
import { parseInstant, type Instant } from "../instant.ts";
import type { ExactKeys } from "../exact-keys.ts";
import { scoreTest, type NewestScoreFilters, type ScoreTest } from "../score-condition.ts";
import { unnumberedName, type NumberedNames } from "./facts.ts";
import type { ListedTrace } from "./row.ts";
import type { TraceStatus } from "./trace.ts";

/** Filters of traces, as requested; absent filters are not applied. */
export interface TraceFilters extends NewestScoreFilters {
  /** Traces that started at this time or later. */
  readonly date_from?: string | undefined;
  /** Traces that started before this time. */
  readonly date_to?: string | undefined;
  readonly status?: TraceStatus | undefined;
  readonly session_id?: string | undefined;
  readonly user_id?: string | undefined;
  /** At least one of these tags; an empty list matches every trace. */
  readonly tags?: readonly string[] | undefined;
  /** Part of the trace's name, ignoring case and accents. */
  readonly name?: string | undefined;
  /** True for traces that failed or have a failed span: the same as `has_failed_span`, except for users and analytics. @see withErrorStatus */
  readonly has_error?: boolean | undefined;
  readonly has_failed_span?: boolean | undefined;
  readonly min_latency_ms?: number | undefined;
  readonly max_latency_ms?: number | undefined;
  /** Bounds of the trace's cost, in US dollars. */
  readonly min_cost?: number | undefined;
  readonly max_cost?: number | undefined;
  readonly min_tokens?: number | undefined;
  readonly max_tokens?: number | undefined;
  /** Name of a model used by any span. */
  readonly model?: string | undefined;
  readonly release?: string | undefined;
  readonly environment?: string | undefined;
  /** Name of a tool called by the trace. */
  readonly tool?: string | undefined;
  readonly has_session?: boolean | undefined;
  /** Name of a prompt that a span used; with `prompt_version`, of that version. */
  readonly prompt_name?: string | undefined;
  readonly prompt_version?: string | undefined;
  readonly experiment?: string | undefined;
  readonly experiment_item_id?: string | undefined;
  /** Beginning of the error message of the span that failed first. */
  readonly first_error?: string | undefined;
  /** Exact values of declared metadata keys. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** Filters of lists, runs and monitors of traces: also those of which the documents have to be read. */
export interface SearchedTraceFilters extends TraceFilters {
  /** Words and phrases that all occur in the texts of the trace. @see parseTextQuery */
  readonly q?: string | undefined;
}

/** Name numbers of the filtered model and tool; `unnumberedName` if no row contains them. */
export interface FilteredNames {
  readonly model: number;
  readonly tool: number;
}

/** Fields of a trace that filters read. */
type FilteredTrace = Pick<
  ListedTrace,
  | "startedAt"
  | "status"
  | "sessionId"
  | "userId"
  | "tags"
  | "name"
  | "latency"
  | "totalCost"
  | "totalTokens"
  | "environment"
  | "release"
  | "facts"
>;

/** True if a trace or one of its spans failed, as far as the row shows. */
export const hasFailedSpan = ({ status, facts }: Pick<FilteredTrace, "status" | "facts">): boolean =>
  status === "ERROR" || (facts?.spans.errors ?? 0) > 0;

/** A compiled filter of traces. */
export interface TraceFilter {
  /** Lower bound of the start of matching traces, inclusive; null for no bound. */
  readonly from: Instant | null;
  /** Upper bound of the start of matching traces, exclusive; null for no bound. */
  readonly to: Instant | null;
  /** True if every trace matches. */
  readonly matchesAll: boolean;
  /** Test of the newest scores of matching traces; null if there is none. */
  readonly scores: ScoreTest | null;
  /** Id of the session to which all matching traces belong; null if the filter does not restrict the session. */
  readonly session: string | null;
  readonly matches: (row: FilteredTrace) => boolean;
}

const bound = (text: string | undefined): Instant | null => (text === undefined ? null : parseInstant(text));

const hasNumber = (names: NumberedNames | undefined, number: number): boolean =>
  number !== unnumberedName && names?.numbers.includes(number) === true;

type Test = (row: FilteredTrace) => boolean;

const atLeast = (bound: number | undefined, value: (row: FilteredTrace) => number | null): Test | null =>
  bound === undefined ? null : (row) => (value(row) ?? -1) >= bound;

const atMost = (bound: number | undefined, value: (row: FilteredTrace) => number | null): Test | null =>
  bound === undefined ? null : (row) => (value(row) ?? Number.POSITIVE_INFINITY) <= bound;

const latencyOf = ({ latency }: FilteredTrace): number | null => latency;
const costOf = ({ totalCost }: FilteredTrace): number => totalCost;
const tokensOf = ({ totalTokens }: FilteredTrace): number => totalTokens;

const equals = <Key extends keyof FilteredTrace>(key: Key, expected: FilteredTrace[Key] | undefined): Test | null =>
  expected === undefined ? null : (row) => row[key] === expected;

const promptTest = ({ prompt_name: name, prompt_version: version }: TraceFilters): Test | null =>
  name === undefined && version === undefined
    ? null
    : ({ facts }) =>
        facts?.provenance.prompts.some(
          (prompt) =>
            (name === undefined || prompt.name === name) && (version === undefined || prompt.version === version),
        ) === true;

const provenanceTest = (key: "experiment" | "experimentItem", expected: string | undefined): Test | null =>
  expected === undefined ? null : ({ facts }) => facts?.provenance[key] === expected;

const failedSpanTest = (expected: boolean | undefined): Test | null =>
  expected === undefined ? null : (row) => hasFailedSpan(row) === expected;

const metadataTest = (expected: TraceFilters["metadata"]): Test | null => {
  const values = Object.entries(expected ?? {});
  if (values.length === 0) return null;
  return ({ facts }) =>
    values.every(([key, value]) => facts?.metadata.some((each) => each.key === key && each.value === value) === true);
};

/**
 * Compiles trace filters: a trace matches if it passes all tests.
 *
 * @param names numbers of the filtered model and tool; by default no trace has them.
 * @param extraScoreNames names of further scores to read.
 */
export const traceFilter = <Filters extends TraceFilters>(
  filters: ExactKeys<TraceFilters, Filters>,
  names: FilteredNames = { model: unnumberedName, tool: unnumberedName },
  extraScoreNames: readonly string[] = [],
): TraceFilter => {
  const { session_id: session, has_session: hasSessionFilter }: TraceFilters = filters;
  const [from, to] = [bound(filters.date_from), bound(filters.date_to)];
  const name = foldForSearch(filters.name ?? "");
  const tags = new Set(filters.tags);
  /** Test of each filter; null if the filter is not set. */
  const tests: Readonly<Record<Exclude<keyof TraceFilters, keyof NewestScoreFilters>, Test | null>> = {
    date_from: from === null ? null : (row) => row.startedAt >= from,
    date_to: to === null ? null : (row) => row.startedAt < to,
    status: equals("status", filters.status),
    session_id: equals("sessionId", session),
    user_id: equals("userId", filters.user_id),
    tags: tags.size === 0 ? null : (row) => row.tags.some((tag) => tags.has(tag)),
    name: name === "" ? null : (row) => foldForSearch(row.name).includes(name),
    min_latency_ms: atLeast(filters.min_latency_ms, latencyOf),
    max_latency_ms: atMost(filters.max_latency_ms, latencyOf),
    has_session: hasSessionFilter === undefined ? null : (row) => (row.sessionId !== null) === hasSessionFilter,
    min_cost: atLeast(filters.min_cost, costOf),
    max_cost: atMost(filters.max_cost, costOf),
    min_tokens: atLeast(filters.min_tokens, tokensOf),
    max_tokens: atMost(filters.max_tokens, tokensOf),
    release: equals("release", filters.release),
    environment: equals("environment", filters.environment),
    has_error: failedSpanTest(filters.has_error),
    has_failed_span: failedSpanTest(filters.has_failed_span),
    model: filters.model === undefined ? null : ({ facts }) => hasNumber(facts?.spans.models, names.model),
    tool: filters.tool === undefined ? null : ({ facts }) => hasNumber(facts?.spans.tools, names.tool),
    prompt_name: promptTest(filters),
    // Tested together with the name: both are of one prompt.
    prompt_version: filters.prompt_name === undefined ? promptTest(filters) : null,
    experiment: provenanceTest("experiment", filters.experiment),
    experiment_item_id: provenanceTest("experimentItem", filters.experiment_item_id),
    first_error:
      filters.first_error === undefined ? null : ({ facts }) => facts?.firstError?.text === filters.first_error,
    metadata: metadataTest(filters.metadata),
  };
  const activeTests = Object.values(tests).filter((test) => test !== null);
  const scores = scoreTest(filters, extraScoreNames);
  return {
    from,
    to,
    matchesAll: activeTests.length === 0 && scores === null,
    scores,
    session: session ?? null,
    matches: (row) => activeTests.every((test) => test(row)),
  };
};

/** Adds the test of `has_error` as users and analytics mean it, whose errors are traces with the status ERROR. */
export const withErrorStatus = (filter: TraceFilter, hasError: boolean | undefined): TraceFilter =>
  hasError === undefined
    ? filter
    : {
        ...filter,
        matchesAll: false,
        matches: (row) => (row.status === "ERROR") === hasError && filter.matches(row),
      };
