import { type Dimension, dimensionsOf, groupsScores } from "../../domain/scores/dimensions.ts";
import type { SessionScore, TraceScore } from "../../domain/scores/score.ts";
import type { CountedScores } from "../../domain/scores/unit-figures.ts";
import { checkDeclared } from "../../domain/traces/facts.ts";
import type { TraceFilter, TraceFilters } from "../../domain/traces/filter.ts";
import { splitTraceFilters } from "../../contract/scores/trace-filters.ts";
import type { Database } from "../../dynamo/database.ts";
import type { Exchange } from "../../http/exchange.ts";
import { scoreNameCheck } from "../../http/metrics/unknown-score.ts";
import { rowLimitCheck } from "../../store/hours/row-limit-check.ts";
import type { FigureRange } from "../../store/scores/figures.ts";
import type { ScoreTarget } from "../../store/scores/keys.ts";
import type { ScoreKind } from "../../store/scores/kind.ts";
import { filterResolver } from "../../store/scores/newest/filter-resolver.ts";
import { scoreUnits } from "../../store/scores/units/read.ts";
import { type FactsByTarget, maxTargetRows, scoreTargets } from "../../store/scores/units/targets.ts";
import type { FileDays, FileDaysReader, FiledTargetQuery } from "../../store/traces/lists/file-days.ts";
import { environmentFileDays } from "../../wiring/file-days.ts";

/** The project of a request. */
interface FilteredProject {
  readonly id: string;
  /** Metadata keys that the project declares. */
  readonly metadata_keys: readonly string[];
}

/** Returns a function that compiles filters of traces. It throws a Refusal `invalid` for an undeclared metadata key. */
export const traceFilterCompiler = (database: Database) => {
  const resolver = filterResolver(database);

  return async (
    project: FilteredProject,
    filters: TraceFilters,
    loc = (key: string): readonly string[] => ["query", `metadata.${key}`],
  ): Promise<TraceFilter> => {
    checkDeclared(filters.metadata, project.metadata_keys, loc);
    return await resolver.traces(project.id, filters);
  };
};

/** Targets of a request about scores. */
interface TargetRequest {
  readonly filters: TraceFilters;
  readonly dimensions?: readonly Dimension[];
  /** Scores that the request is about. */
  readonly scored: FiledTargetQuery["scored"];
}

/**
 * Returns a function that reads facts of the traces, or of the sessions, that match filters of traces, from rows and from files of closed
 * days, and warns of unknown scores in the filters. It throws a Refusal `invalid` for an undeclared metadata key, and when too many
 * rows would be read.
 */
export const filteredTargets = (
  database: Database,
  target: ScoreTarget,
  filesOf: FileDaysReader | null = environmentFileDays(database),
) => {
  const [compile, forecast] = [traceFilterCompiler(database), rowLimitCheck(database, undefined, maxTargetRows)];
  const targets = scoreTargets(database, target);
  const checkScoreNames = scoreNameCheck(database, "trace");

  return async (
    project: FilteredProject,
    { filters, dimensions = [], scored }: TargetRequest,
    warn: Exchange["warn"],
  ): Promise<FactsByTarget> => {
    await checkScoreNames(project.id, filters, warn);
    const filter = await compile(project, filters);
    const findFiles = async (): Promise<FileDays | null> =>
      (await filesOf?.(project.id, filter, filters, "scores")) ?? null;
    const bounds = [["query", "started_after"], "started_after and started_before"] as const;
    const days = await forecast(project.id, filter, ...bounds, findFiles);
    return await targets(project.id, filter, dimensions, { days, scored });
  };
};

/** Returns the names of some scores that labels may be about: those of traces. */
export const labelledNames = (target: ScoreTarget, counted: CountedScores | null): readonly string[] =>
  target === "trace" && counted !== null ? [...new Set(counted.units.map(({ name }) => name))] : [];

/** Filters of traces and groups in the query of a route. */
interface CountingQuery {
  readonly group_by?: readonly string[] | undefined;
}

/**
 * Returns a function that splits the query of a route for figures of scores into the scores that it counts, null if it has
 * neither filters of traces nor groups nor rates to correct, and its other parameters.
 */
export const countedScores = <S extends TraceScore | SessionScore>(database: Database, kind: ScoreKind<S>) => {
  const [targets, units] = [filteredTargets(database, kind.target), scoreUnits(database, kind)];

  return <Query extends CountingQuery>(project: FilteredProject, query: Query, warn: Exchange["warn"]) => {
    const { traceFilters, rest } = splitTraceFilters(query);
    const read = async (range: FigureRange, withJudges = false): Promise<CountedScores | null> => {
      const dimensions = dimensionsOf(query.group_by ?? [], project.metadata_keys);
      if (traceFilters === null && dimensions.length === 0 && !withJudges) return null;
      const isEvery = groupsScores(dimensions) || range.judge !== undefined || range.metric_version !== undefined;
      const { name, date_from, date_to } = range;
      const request = { filters: traceFilters ?? {}, dimensions, scored: { name, date_from, date_to } };
      const facts = await targets(project, request, warn);
      return {
        unit: isEvery ? "score" : kind.target,
        dimensions,
        units: await units(project.id, { range, targets: facts, isEvery, dimensions, withJudges }),
      };
    };
    return { rest, read };
  };
};
