import type { TimeRange } from "../../domain/alerts/preview.ts";
import type { AlertSettings } from "../../domain/alerts/fields.ts";
import { isScoreSignal, windowEndAt } from "../../domain/alerts/rule.ts";
import { addSums, sumsOf, type AlertObservation, type WindowSums } from "../../domain/alerts/sums.ts";
import { scoreValue, traceValue } from "../../domain/alerts/values.ts";
import { epochOf, instantAt, type Instant } from "../../domain/instant.ts";
import { invalid, Refusal } from "../../domain/refusal.ts";
import type { Score } from "../../domain/scores/score.ts";
import type { TraceFilter } from "../../domain/traces/filter.ts";
import type { Database } from "../../dynamo/database.ts";
import { countedTraces } from "../hours/row-limit-check.ts";
import { countEstimates } from "../scores/count-estimates.ts";
import { sessionScoreKind, traceScoreKind, type ScoreKind } from "../scores/kind.ts";
import { matchingTraces } from "../scores/newest/matching-traces.ts";
import { scoreUnits } from "../scores/units/read.ts";
import { scoreTargets } from "../scores/units/targets.ts";
import { traceCounts } from "../traces/counts.ts";
import { projectNames } from "../traces/facts/names.ts";
import { compiledFilter } from "./matching-rules.ts";

/** Milliseconds before a range in which the traces started whose scores are counted by a rule with trace filters. */
const judgingMilliseconds = 86_400_000;

/** @param count null if it is only known to be above the limit. */
const tooMany = (count: number | null, noun: string, limit: number): Refusal => {
  const most = limit.toLocaleString("en");
  const number = count === null ? `more than ${most}` : count.toLocaleString("en");
  const msg = `The range has ${number} ${noun}, and a preview reads at most ${most}. Choose a later date_from or an earlier date_to.`;
  return invalid(["body", "date_from"], msg, "too_many_rows");
};

/** True if a range has more traces or scores than are read. */
export const isTooManyRows = (error: unknown): boolean =>
  error instanceof Refusal &&
  error.reason.kind === "invalid" &&
  error.reason.violations.some(({ type }) => type === "too_many_rows");

/** Refuses in the preview's words what was read before the counters knew of it. */
const inPreview = async <Result>(noun: string, limit: number, reading: Promise<Result>): Promise<Result> => {
  try {
    return await reading;
  } catch (error) {
    throw isTooManyRows(error) ? tooMany(null, noun, limit) : error;
  }
};

const instantsOf = ({ from, to }: TimeRange) => ({ from: instantAt(from), to: instantAt(to) });

const narrowed = (filter: TraceFilter, { from, to }: TimeRange): TraceFilter => {
  const range = instantsOf({ from, to });
  const later = (a: Instant | null, b: Instant): Instant => (a !== null && a > b ? a : b);
  const earlier = (a: Instant | null, b: Instant): Instant => (a !== null && a < b ? a : b);
  return { ...filter, from: later(filter.from, range.from), to: earlier(filter.to, range.to) };
};

/**
 * Returns a function that computes the sums of past windows of a rule from rows and scores, by the ends of the windows. Each
 * range begins and ends with a window. Traces and scores may lag writes by seconds.
 *
 * @param limit traces or scores that are read at most.
 * @throws Refusal `invalid` (from the returned function) with the number of traces or scores if there are more.
 */
export const pastWindows = (database: Database, limit: number, now: () => number = Date.now) => {
  const [names, counts, counted] = [projectNames(database), traceCounts(database, now), countedTraces(database, now)];
  const forEachMatch = matchingTraces(database, now, limit);
  const targets = scoreTargets(database, "trace", now, limit);

  const checkTraces = async (project: string, ranges: readonly TimeRange[]): Promise<void> => {
    if ((await counts.total(project)) <= limit) return;
    let traces = 0;
    for (const range of ranges) traces += await counted(project, instantsOf(range));
    if (traces > limit) throw tooMany(traces, "traces", limit);
  };

  /** Visits the scores of one kind that count. */
  const readScores = async <S extends Score>(
    project: string,
    kind: ScoreKind<S>,
    { settings, range, filter }: { settings: AlertSettings; range: TimeRange; filter: TraceFilter },
    visit: (at: number, observation: AlertObservation) => void,
  ): Promise<void> => {
    const { from: date_from, to: date_to } = instantsOf(range);
    const scoreRange = { name: settings.metric_name ?? "", date_from, date_to };
    const { range: scores } = await countEstimates(database, kind.target, now)(project, scoreRange);
    if (scores > limit) throw tooMany(scores, "scores", limit);
    const judged = { from: range.from - judgingMilliseconds, to: range.to };
    if (!filter.matchesAll) await checkTraces(project, [judged]);
    const facts = filter.matchesAll
      ? null
      : await inPreview("traces", limit, targets(project, narrowed(filter, judged), []));
    const readUnits = scoreUnits(database, kind, now, { read: limit, units: limit });
    const query = { range: scoreRange, targets: facts, isEvery: true, dimensions: [] };
    for (const unit of await inPreview("scores", limit, readUnits(project, query))) {
      const value = scoreValue(settings, unit);
      if (value !== null) visit(epochOf(unit.createdAt), { cluster: unit.cluster, value });
    }
  };

  return async (
    project: string,
    settings: AlertSettings,
    ranges: readonly TimeRange[],
  ): Promise<ReadonlyMap<number, WindowSums>> => {
    const parts = new Map<number, WindowSums[]>();
    const filter = await compiledFilter(names, project, settings.filters);
    const { signal } = settings;
    if (!isScoreSignal(signal)) await checkTraces(project, ranges);
    for (const range of ranges) {
      const add = (at: number, observation: AlertObservation): void => {
        const end = windowEndAt({ anchor: range.from, settings }, at);
        if (end === null || end > range.to) return;
        const window = parts.get(end) ?? [];
        window.push(sumsOf(settings, observation));
        parts.set(end, window);
      };
      if (isScoreSignal(signal)) {
        await readScores(project, traceScoreKind, { settings, range, filter }, add);
        // A session has no trace that could match.
        if (filter.matchesAll) await readScores(project, sessionScoreKind, { settings, range, filter }, add);
        continue;
      }
      const reading = forEachMatch(project, narrowed(filter, range), (trace) => {
        const value = traceValue(signal, trace);
        if (value !== null) add(epochOf(trace.startedAt), { cluster: trace.sessionId ?? trace.traceId, value });
      });
      await inPreview("traces", limit, reading);
    }
    return new Map(Array.from(parts, ([end, window]) => [end, addSums(window)]));
  };
};
