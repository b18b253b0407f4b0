import { foldCase } from "../fold-case.ts";
import { parseInstant, type Instant } from "../instant.ts";
import type { NothingElse } from "../nothing-else.ts";
import { scoreTest, type ScoreFilters, type ScoreTest } from "../score-condition.ts";
import { otherName, type NumberedNames } from "./facts.ts";
import type { ListedTrace } from "./row.ts";
import type { TraceStatus } from "./trace.ts";

/** What selects traces, as a client wrote it; what is absent is not set. */
export interface TraceFilters extends ScoreFilters {
  /** Started then or later. */
  readonly date_from?: string | undefined;
  /** Started before then. */
  readonly date_to?: string | undefined;
  readonly status?: TraceStatus | undefined;
  readonly session_id?: string | undefined;
  readonly user_id?: string | undefined;
  /** Any of these; none asks nothing. */
  readonly tags?: readonly string[] | undefined;
  /** Part of the name, in any case. */
  readonly name?: string | undefined;
  /** Whether it failed, or one of its spans did. */
  readonly has_error?: boolean | undefined;
  readonly min_latency_ms?: number | undefined;
  readonly max_latency_ms?: number | undefined;
  /** Dollars. */
  readonly min_cost?: number | undefined;
  readonly max_cost?: number | undefined;
  readonly min_tokens?: number | undefined;
  readonly max_tokens?: number | undefined;
  /** A model that one of its spans used. */
  readonly model?: string | undefined;
  readonly release?: string | undefined;
  readonly environment?: string | undefined;
  /** A tool that it called. */
  readonly tool?: string | undefined;
  readonly has_session?: boolean | undefined;
  /** Values of declared keys, each exactly. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** The numbers that rows have for a model and a tool, `otherName` where they have none for it. */
export interface FilteredNames {
  readonly model: number;
  readonly tool: number;
}

/** What of a trace filters look at. */
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

/** Whether a trace failed, or one of its spans did, as far as its row tells. */
const hasError = ({ status, facts }: Pick<FilteredTrace, "status" | "facts">): boolean =>
  status === "ERROR" || (facts?.spans.errors ?? 0) > 0;

/** A filter made ready: whether a row matches, and the range of starts outside of which none does. */
export interface TraceFilter {
  /** Inclusive. */
  readonly from: Instant | null;
  /** Exclusive. */
  readonly to: Instant | null;
  /** Whether everything matches. */
  readonly matchesAll: boolean;
  /** What is asked of the newest scores of the rows that match; null when nothing is. */
  readonly scores: ScoreTest | null;
  /** The session that all matches are of; null when any. */
  readonly session: string | null;
  readonly matches: (row: FilteredTrace) => boolean;
}

const bound = (text: string | undefined): Instant | null => (text === undefined ? null : parseInstant(text));

const has = (names: NumberedNames | undefined, number: number): boolean =>
  number !== otherName && names?.numbers.includes(number) === true;

type Test = (row: FilteredTrace) => boolean;

const atLeast = (bound: number | undefined, value: (row: FilteredTrace) => number | null): Test | null =>
  bound === undefined ? null : (row) => (value(row) ?? -1) >= bound;

const atMost = (bound: number | undefined, value: (row: FilteredTrace) => number | null): Test | null =>
  bound === undefined ? null : (row) => (value(row) ?? Number.POSITIVE_INFINITY) <= bound;

const latencyOf = ({ latency }: FilteredTrace): number | null => latency;
const costOf = ({ totalCost }: FilteredTrace): number => totalCost;
const tokensOf = ({ totalTokens }: FilteredTrace): number => totalTokens;

const equals = <Key extends keyof FilteredTrace>(key: Key, wanted: FilteredTrace[Key] | undefined): Test | null =>
  wanted === undefined ? null : (row) => row[key] === wanted;

const metadataTest = (wanted: TraceFilters["metadata"]): Test | null => {
  const values = Object.entries(wanted ?? {});
  if (values.length === 0) return null;
  return ({ facts }) =>
    values.every(([key, value]) => facts?.metadata.some((each) => each.key === key && each.value === value) === true);
};

/**
 * Makes filters ready: a row matches when it passes the test of every filter that is set.
 *
 * @param names the numbers of the model and the tool that are asked for; without them nothing has one.
 * @param moreScores names of scores that are to be looked at, whatever they are.
 */
export const traceFilter = <Given extends TraceFilters>(
  filters: NothingElse<TraceFilters, Given>,
  names: FilteredNames = { model: otherName, tool: otherName },
  moreScores: readonly string[] = [],
): TraceFilter => {
  const { session_id: session, has_error: failed, has_session: inSession }: TraceFilters = filters;
  const [from, to] = [bound(filters.date_from), bound(filters.date_to)];
  const name = foldCase(filters.name ?? "");
  const tags = new Set(filters.tags);
  /** What each filter asks of a trace; null where it is not set. */
  const tests: Readonly<Record<Exclude<keyof TraceFilters, keyof ScoreFilters>, Test | null>> = {
    date_from: from === null ? null : (row) => row.startedAt >= from,
    date_to: to === null ? null : (row) => row.startedAt < to,
    status: equals("status", filters.status),
    session_id: equals("sessionId", session),
    user_id: equals("userId", filters.user_id),
    tags: tags.size === 0 ? null : (row) => row.tags.some((tag) => tags.has(tag)),
    name: name === "" ? null : (row) => foldCase(row.name).includes(name),
    min_latency_ms: atLeast(filters.min_latency_ms, latencyOf),
    max_latency_ms: atMost(filters.max_latency_ms, latencyOf),
    has_session: inSession === undefined ? null : (row) => (row.sessionId !== null) === inSession,
    min_cost: atLeast(filters.min_cost, costOf),
    max_cost: atMost(filters.max_cost, costOf),
    min_tokens: atLeast(filters.min_tokens, tokensOf),
    max_tokens: atMost(filters.max_tokens, tokensOf),
    release: equals("release", filters.release),
    environment: equals("environment", filters.environment),
    has_error: failed === undefined ? null : (row) => hasError(row) === failed,
    model: filters.model === undefined ? null : ({ facts }) => has(facts?.spans.models, names.model),
    tool: filters.tool === undefined ? null : ({ facts }) => has(facts?.spans.tools, names.tool),
    metadata: metadataTest(filters.metadata),
  };
  const set = Object.values(tests).filter((test) => test !== null);
  const scores = scoreTest(filters, moreScores);
  return {
    from,
    to,
    matchesAll: set.length === 0 && scores === null,
    scores,
    session: session ?? null,
    matches: (row) => set.every((test) => test(row)),
  };
};
