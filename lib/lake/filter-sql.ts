import {
  parseScoreCondition,
  plainScoreReference,
  type ScoreCondition,
  type ScoreReference,
} from "../domain/score-condition.ts";
import { parseInstant } from "../domain/instant.ts";
import type { ScoreGiver } from "../domain/scores/precedence.ts";
import { foldForSearch } from "../domain/traces/search/case-folding.ts";
import type { TraceFilters } from "../domain/traces/filter.ts";
import { joinSql, sql, Sql, type SqlValue } from "./sql.ts";

/** What a filter reads beside the table of traces. */
interface FilteredScores {
  /** The table of scores of the same day. */
  readonly scores: Sql;
  /** Whose newest scores the filter reads; absent for those that count. */
  readonly giver?: ScoreGiver | undefined;
}

/** Matches no trace. */
const nothing = sql`false`;

const instant = (text: string): Sql => sql`${parseInstant(text)}::TIMESTAMPTZ`;
export const atLeast = (column: string, bound: number): Sql =>
  sql`coalesce(${new Sql(column)}, -1) >= ${bound}::DOUBLE`;
export const atMost = (column: string, bound: number): Sql =>
  sql`coalesce(${new Sql(column)}, 'Infinity'::DOUBLE) <= ${bound}::DOUBLE`;
const equals = (column: string, value: SqlValue): Sql => sql`${new Sql(column)} = ${value}`;
/** True for a trace that failed or has a failed span. */
export const failedSpanSql = new Sql("(status = 'ERROR' OR coalesce(failed_spans, 0) > 0)");
const hasFailedSpan = (expected: boolean): Sql => sql`${failedSpanSql} = ${expected}`;

const promptSql = ({ prompt_name: name, prompt_version: version }: TraceFilters): Sql => {
  const tests = [
    ...(name === undefined ? [] : [equals("prompt.name", name)]),
    ...(version === undefined ? [] : [equals("prompt.version", version)]),
  ];
  return sql`len(list_filter(prompts, lambda prompt: coalesce(${joinSql(tests, " AND ")}, false))) > 0`;
};

/** Test of a score by a condition, as `ScoreCondition.holds`. */
const conditionSql = ({ operator, number, value }: ScoreCondition): Sql => {
  if (operator !== "=" && operator !== "!=")
    return number === null ? nothing : sql`number ${new Sql(operator)} ${number}::DOUBLE`;
  const isEqual =
    number === null
      ? sql`value = ${value}`
      : sql`CASE WHEN number IS NULL THEN value = ${value} ELSE number = ${number}::DOUBLE END`;
  return sql`applicable IS DISTINCT FROM false AND value IS NOT NULL AND (${isEqual}) = ${operator === "="}`;
};

/** Test of the newest score that a reference names; without a condition, that there is one. */
const newestScoreSql = (
  { scores, giver }: FilteredScores,
  { name, ofVersion }: ScoreReference,
  condition: Sql = sql`true`,
): Sql => {
  const newest = giver === undefined ? sql`counts` : sql`is_newest AND giver = ${giver}`;
  const rows = (test: Sql): Sql => sql`row IN (SELECT row FROM ${scores} WHERE ${newest} AND ${test})`;
  const named = sql`name = ${name}`;
  const byName = rows(sql`${named} AND ${condition}`);
  if (ofVersion === undefined) return byName;
  const versioned = sql`name = ${ofVersion.name} AND metric_version = ${ofVersion.version}`;
  return sql`(${byName} OR (NOT ${rows(named)} AND ${rows(sql`${versioned} AND ${condition}`)}))`;
};

/** Values of filters that are set. */
type FilterValues = { readonly [Key in keyof TraceFilters]-?: NonNullable<TraceFilters[Key]> };

/** The SQL of each filter by its value. A filter that was added to the domain does not compile without one. */
const clauses: {
  readonly [Key in keyof FilterValues]: (
    value: FilterValues[Key],
    filters: TraceFilters,
    scores: FilteredScores,
  ) => Sql | null;
} = {
  date_from: (from) => sql`started_at >= ${instant(from)}`,
  date_to: (to) => sql`started_at < ${instant(to)}`,
  status: (status) => equals("status", status),
  session_id: (session) => equals("session_id", session),
  user_id: (user) => equals("user_id", user),
  // `list_has_any` takes two to four times as long.
  tags: (tags) =>
    tags.length === 0
      ? null
      : joinSql(
          tags.map((tag) => sql`list_contains(tags, ${tag})`),
          " OR ",
        ),
  name: (name) => (foldForSearch(name) === "" ? null : sql`contains(folded_name, ${foldForSearch(name)})`),
  has_error: hasFailedSpan,
  has_failed_span: hasFailedSpan,
  min_latency_ms: (bound) => atLeast("latency_ms", bound),
  max_latency_ms: (bound) => atMost("latency_ms", bound),
  min_cost: (bound) => atLeast("cost_usd", bound),
  max_cost: (bound) => atMost("cost_usd", bound),
  min_tokens: (bound) => atLeast("tokens", bound),
  max_tokens: (bound) => atMost("tokens", bound),
  model: (model) => sql`list_contains(models, ${model})`,
  tool: (tool) => sql`list_contains(tools, ${tool})`,
  release: (release) => equals("release", release),
  environment: (environment) => equals("environment", environment),
  has_session: (expected) => sql`(session_id IS NOT NULL) = ${expected}`,
  prompt_name: (_, filters) => promptSql(filters),
  // Tested together with the name: both are of one prompt.
  prompt_version: (_, filters) => (filters.prompt_name === undefined ? promptSql(filters) : null),
  experiment: (experiment) => equals("experiment", experiment),
  experiment_item_id: (item) => equals("experiment_item_id", item),
  first_error: (text) => equals("first_error", text),
  metadata: (expected) => {
    const values = Object.entries(expected).map(([key, value]) => sql`metadata[${key}] = ${value}`);
    return values.length === 0 ? null : joinSql(values, " AND ");
  },
  score: (conditions, _, scores) => {
    const tests = conditions.map((text) => {
      const condition = parseScoreCondition(text);
      return condition === null ? nothing : newestScoreSql(scores, condition, conditionSql(condition));
    });
    return tests.length === 0 ? null : joinSql(tests, " AND ");
  },
  no_score: (names, _, scores) =>
    names.length === 0
      ? null
      : joinSql(
          names.map((name) => sql`NOT ${newestScoreSql(scores, plainScoreReference(name))}`),
          " AND ",
        ),
};

type FilterName = keyof FilterValues;

const isFilterName = (name: string): name is FilterName => Object.hasOwn(clauses, name);

/** Returns the SQL of one filter; null if it is not set. */
const clauseOf = <Key extends FilterName>(
  clause: (typeof clauses)[Key],
  value: FilterValues[Key] | undefined,
  filters: TraceFilters,
  scores: FilteredScores,
): Sql | null => (value === undefined ? null : clause(value, filters, scores));

const filterNames = Object.keys(clauses).filter(isFilterName);

/**
 * Returns the condition under which a row of the table `traces` matches filters: the same traces as `traceFilter` selects from rows
 * of the store.
 */
export const traceFilterSql = (filters: TraceFilters, scores: FilteredScores): Sql =>
  joinSql(
    [sql`true`, ...filterNames.flatMap((key) => clauseOf(clauses[key], filters[key], filters, scores) ?? [])].map(
      (clause) => sql`(${clause})`,
    ),
    " AND ",
  );
