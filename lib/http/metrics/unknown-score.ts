import { mapConcurrently } from "../../async/concurrency.ts";
import { readAggregate } from "../../domain/metrics/aggregate.ts";
import type { CustomMetricDefinition } from "../../domain/metrics/custom/definition.ts";
import type { LintWarning } from "../../domain/metrics/lint/lint-warning.ts";
import { nearestNote } from "../../domain/nearest-name.ts";
import { scoreReferences, type NewestScoreFilters, type ScoreReference } from "../../domain/score-condition.ts";
import type { Database } from "../../dynamo/database.ts";
import { sessionMetricNames } from "../../metrics/session/catalogue.ts";
import { traceCatalogue } from "../../metrics/trace/catalogue.ts";
import type { ScoreTarget } from "../../store/scores/keys.ts";
import { type CustomMetrics, customMetricStore } from "../../store/metrics/custom-metrics.ts";
import { recentScoreNames } from "../../store/scores/units/recent-names.ts";
import { lackNumbers, scoreTypes } from "../../store/scores/units/types.ts";

const builtInNames = Object.keys(traceCatalogue);
const allBuiltInNames: readonly string[] = [...builtInNames, ...sessionMetricNames];

/** Maximum number of names that are looked up at the same time. */
const parallel = 4;

type MetricReader = Pick<CustomMetrics, "get">;

/** Reads a custom metric that is not deleted; null if there is none. */
const existing = async (metrics: MetricReader, project: string, name: string) => {
  const metric = await metrics.get(project, name);
  return metric?.deletedAt === null ? metric : null;
};

/** Returns a function that says in a sentence that no metric has a name which no score has; null if one has. */
export const unknownNameNote = (database: Database) => {
  const [metrics, namesOf] = [customMetricStore(database), recentScoreNames(database)];
  return async (project: string, name: string): Promise<string | null> => {
    if (allBuiltInNames.includes(name) || (await existing(metrics, project, name)) !== null) return null;
    const recent = [...(await namesOf("trace", project)), ...(await namesOf("session", project))];
    return `No score and no metric has the name "${name}".${nearestNote(name, [...recent, ...allBuiltInNames])}`;
  };
};

/**
 * Returns a function that warns of names in filters and sort orders that no score has, and of versions that no metric has: a condition on
 * them matches nothing, and `no_score` everything.
 */
export const scoreNameCheck = (database: Database, target: ScoreTarget) => {
  const [typesOf, metrics] = [scoreTypes(database, [target]), customMetricStore(database)];
  const namesOf = recentScoreNames(database);
  const hasScores = async (project: string, name: string) => (await typesOf(project, name)).length > 0;
  const flawOf = async (
    project: string,
    { name, ofVersion }: ScoreReference,
    names: () => Promise<readonly string[]>,
  ): Promise<string | null> => {
    if (await hasScores(project, name)) return null;
    const base = ofVersion?.name ?? name;
    if (ofVersion === undefined || !(await hasScores(project, base)))
      return `No successful score of a ${target} has the name "${base}".${nearestNote(base, [...(await names()), ...allBuiltInNames])}`;
    const newest = (await metrics.get(project, base))?.versions.length ?? 0;
    return ofVersion.version > newest
      ? `There is no version ${ofVersion.version} of "${base}"; it has ${newest}.`
      : null;
  };
  return async (
    project: string,
    filters: NewestScoreFilters,
    warn: (text: string) => void,
    sortNames: readonly string[] = [],
  ): Promise<void> => {
    const ofSorting = sortNames.map((name): ScoreReference => ({ name }));
    const references = new Map([...ofSorting, ...scoreReferences(filters)].map((each) => [each.name, each]));
    let recent: Promise<readonly string[]> | undefined;
    const names = () => (recent ??= namesOf(target, project));
    const flaws = await mapConcurrently(references.values(), parallel, (each) => flawOf(project, each, names));
    for (const flaw of flaws) if (flaw !== null) warn(flaw);
  };
};

/**
 * Returns a function that warns of the name that a list or figure without content is about, if no score has it. One with content
 * has such scores: their counters may lag behind them.
 */
export const emptyReplyCheck = (database: Database, target: ScoreTarget) => {
  const check = scoreNameCheck(database, target);
  return async <Reply extends readonly unknown[]>(
    project: string,
    name: string | undefined,
    reply: Reply,
    warn: (text: string) => void,
  ): Promise<Reply> => {
    if (reply.length === 0 && name !== undefined) await check(project, {}, warn, [name]);
    return reply;
  };
};

/**
 * Returns a function that warns about an aggregate over a name that neither a score nor a metric of traces has, or whose
 * scores are categories.
 * Counters of scores may lag writes by seconds.
 */
export const unknownScoreWarnings = (database: Database, metrics: MetricReader) => {
  const typesOf = scoreTypes(database, ["trace"]);
  return async (project: string, definition: CustomMetricDefinition): Promise<readonly LintWarning[]> => {
    const over = definition.kind === "fold" ? readAggregate(definition.fold, () => {})?.over : undefined;
    if (over === undefined || builtInNames.includes(over)) return [];
    const [metric, types] = await Promise.all([existing(metrics, project, over), typesOf(project, over)]);
    const field = ["fold", "over"];
    if (lackNumbers(types)) {
      const message = `All scores of "${over}" are categories, which have no number: the aggregate will not apply.`;
      return [{ field, rule: "score_without_number", message }];
    }
    if (metric?.targetType === "TRACE" || types.length > 0) return [];
    const message = `No score of a trace has the name "${over}", and no metric of traces: the aggregate will not apply.${nearestNote(over, builtInNames)}`;
    return [{ field, rule: "unknown_score", message }];
  };
};
