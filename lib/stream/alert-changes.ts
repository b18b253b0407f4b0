import type { DynamoDBRecord } from "aws-lambda";
import { isScoreSignal, windowEndAt, type AlertRule } from "../domain/alerts/rule.ts";
import { sumsOf, type AlertObservation } from "../domain/alerts/sums.ts";
import { scoreValue, traceValue } from "../domain/alerts/values.ts";
import type { TargetType } from "../domain/runs/run.ts";
import type { Score, TraceScore } from "../domain/scores/score.ts";
import type { ScoreFact } from "../domain/scores/statistics.ts";
import { awaitAll } from "../async/concurrency.ts";
import { epochOf } from "../domain/instant.ts";
import type { ExistingProjects } from "../store/access/existing-projects.ts";
import { matchMilliseconds, type ScoreMatch, type ScoreMatches } from "../store/alerts/score-matches.ts";
import type { CompiledRule, CompiledRules } from "../store/alerts/matching-rules.ts";
import type { AlertSums, SumChange } from "../store/alerts/sums.ts";
import type { RowReader } from "../store/alerts/unread-scores.ts";
import { unpackScore, unpackSessionScore } from "../store/scores/codec.ts";
import { instantOfOrder } from "../store/scores/keys.ts";
import { dayOfPartition } from "../store/traces/keys.ts";
import { rowInImage } from "./row-image.ts";
import { faultFields, logLine } from "../log.ts";
import { scoreChange } from "./score-change.ts";

/** Folds the records of a stream shard into the sums of alert rules. */
export type AlertFold = (shard: string, records: readonly DynamoDBRecord[]) => Promise<void>;

interface Parts {
  readonly rulesOf: CompiledRules;
  readonly sums: Pick<AlertSums, "fold">;
  readonly living: ExistingProjects;
}

/** Returns what an observation at an instant adds to a rule, or with the sign -1 takes from it. */
const changesOf = (
  rule: AlertRule,
  at: number,
  observation: AlertObservation,
  { sign, sequence }: { readonly sign: 1 | -1; readonly sequence: bigint },
): readonly SumChange[] => {
  const end = windowEndAt(rule, at);
  return end === null ? [] : [{ rule, end, sums: sumsOf(rule.settings, observation, sign), sequence }];
};

/** Returns the fold of trace rows: a trace counts at its start; a change takes the old row back and adds the new one. */
export const foldTraceAlerts =
  ({ rulesOf, sums, living }: Parts): AlertFold =>
  async (shard, records) => {
    const rows = records.flatMap(({ dynamodb }) => {
      const { pk, sk } = dynamodb?.Keys ?? {};
      if (pk?.B === undefined || sk?.B === undefined || dynamodb?.SequenceNumber === undefined) return [];
      const at = dynamodb.ApproximateCreationDateTime ?? 0;
      const [before, after] = [rowInImage(dynamodb.OldImage, sk.B, at), rowInImage(dynamodb.NewImage, sk.B, 0)];
      if (before === null && after === null) return [];
      const { project } = dayOfPartition(Buffer.from(pk.B, "base64"));
      return [{ project, before, after, sequence: BigInt(dynamodb.SequenceNumber) }];
    });
    const alive = await living(rows.map(({ project }) => project));
    const changes: SumChange[] = [];
    for (const { project, before, after, sequence } of rows) {
      if (!alive.has(project)) continue;
      for (const { rule, filter } of await rulesOf(project))
        for (const [trace, sign] of [
          [before, -1],
          [after, 1],
        ] as const) {
          if (trace === null || !filter.matches(trace)) continue;
          const value = traceValue(rule.settings.signal, trace);
          if (value === null) continue;
          const cluster = trace.sessionId ?? trace.traceId;
          changes.push(...changesOf(rule, epochOf(trace.startedAt), { cluster, value }, { sign, sequence }));
        }
    }
    await sums.fold(shard, changes);
  };

/** A score that is below the value of a rule which announces scores. */
export interface LowScore {
  readonly rule: AlertRule;
  readonly score: Pick<Score, "id" | "name" | "eval_run_id" | "updated_at">;
  readonly target: { readonly type: TargetType; readonly id: string };
  readonly value: number;
}

interface ScoreParts extends Parts {
  readonly rowOf: RowReader;
  readonly matches: ScoreMatches;
  /** Notes low scores that are announced once their traces can be read. */
  readonly postpone: (rule: AlertRule, scores: ReadonlySet<string>) => Promise<void>;
  /** Announces low scores, each at least once. */
  readonly announce: (scores: readonly LowScore[]) => Promise<void>;
}

/** True if a change brought a score below the value of its rule. */
const becameLow = ({ settings }: AlertRule, before: ScoreFact | null, after: ScoreFact | null): boolean =>
  settings.announce_scores &&
  after !== null &&
  scoreValue(settings, after) === 1 &&
  (before === null || scoreValue(settings, before) !== 1);

/** Which rules with trace filters count a score; `isNew` if none did before its change. Null if its trace cannot be read. */
type ScoreCounting = (ScoreMatch & { readonly isNew: boolean }) | null;

const uncounted: ScoreCounting = { rules: new Set(), cluster: "", sequence: 0n, isNew: true };

/**
 * Returns the fold of scores: a score counts at its creation. Its trace is read for a rule with trace filters only, and what it
 * was then is decisive until the score is removed; without filters each trace is a cluster of its own.
 */
export const foldScoreAlerts = ({
  rulesOf,
  sums,
  living,
  rowOf,
  matches,
  postpone,
  announce,
}: ScoreParts): AlertFold => {
  const countingOf = async (
    rules: readonly CompiledRule[],
    project: string,
    score: Pick<TraceScore, "id" | "trace_id" | "trace_started_at" | "trace_partition">,
    { isRemoved, sequence }: { readonly isRemoved: boolean; readonly sequence: bigint },
  ): Promise<ScoreCounting> => {
    try {
      const stored = await matches.get(project, score.id);
      // By a delivery of this record that did not end, the score is not counted yet.
      if (stored !== null) return { ...stored, isNew: stored.sequence === sequence };
      if (isRemoved || score.trace_started_at === null) return uncounted;
      const row = await rowOf(project, score.trace_id, score.trace_started_at, score.trace_partition ?? 0);
      const matching = rules.filter(({ filter }) => row !== null && !filter.matchesAll && filter.matches(row));
      if (row === null || matching.length === 0) return uncounted;
      const counting = {
        rules: new Set(matching.map(({ rule }) => rule.id)),
        cluster: row.sessionId ?? score.trace_id,
        sequence,
      };
      await matches.put(project, score.id, counting);
      return { ...counting, isNew: true };
    } catch (error) {
      logLine("alert_row_unreadable", { project_id: project, ...faultFields(error) });
      return null;
    }
  };

  return async (shard, records) => {
    const scores = records.map((record) => ({ record, change: scoreChange(record) }));
    const alive = await living(scores.map(({ change }) => change.project));
    const changes: SumChange[] = [];
    const lowScores: LowScore[] = [];
    const unread = new Map<AlertRule, Set<string>>();
    const removals: (readonly [project: string, score: string])[] = [];
    for (const { record, change } of scores) {
      const { project, target, before, after, sequence } = change;
      const name = (after ?? before)?.name;
      if (!alive.has(project)) continue;
      const rules = (await rulesOf(project)).filter(
        ({ rule }) => isScoreSignal(rule.settings.signal) && rule.settings.metric_name === name,
      );
      const packed = (record.dynamodb?.NewImage ?? record.dynamodb?.OldImage)?.["d"]?.B;
      if (rules.length === 0 || packed === undefined) continue;
      // A scan that completes the attributes of an earlier build edits no score.
      const isEdited = record.dynamodb?.OldImage?.["d"]?.B !== packed;
      const created = (after ?? before)?.order;
      const changedAt = (record.dynamodb?.ApproximateCreationDateTime ?? 0) * 1000;
      const isForgotten = created !== undefined && changedAt > epochOf(instantOfOrder(created)) + matchMilliseconds;
      const bytes = Buffer.from(packed, "base64");
      const score = target === "trace" ? unpackScore(bytes) : unpackSessionScore(bytes);
      const id = "trace_id" in score ? score.trace_id : score.session_id;
      const hasFilters = "trace_id" in score && rules.some(({ filter }) => !filter.matchesAll);
      const counting = hasFilters
        ? await countingOf(rules, project, score, { isRemoved: after === null, sequence })
        : uncounted;
      if (after === null && counting?.isNew === false) removals.push([project, score.id]);
      for (const { rule, filter } of rules) {
        const decided = filter.matchesAll ? { cluster: id, isNew: false } : counting;
        if (!filter.matchesAll && counting?.rules.has(rule.id) === false) continue;
        // A score that was not counted before its change is new to the rule.
        const former = decided?.isNew === true && !isForgotten ? null : before;
        if (isEdited && becameLow(rule, former, after)) {
          const type = target === "trace" ? "TRACE" : "SESSION";
          if (decided === null) unread.set(rule, (unread.get(rule) ?? new Set()).add(score.id));
          else lowScores.push({ rule, score, target: { type, id }, value: after?.value ?? 0 });
        }
        for (const [fact, sign] of [
          [former, -1],
          [after, 1],
        ] as const) {
          const value = fact === null ? null : scoreValue(rule.settings, fact);
          if (fact === null || value === null) continue;
          const at = epochOf(instantOfOrder(fact.order));
          for (const each of changesOf(rule, at, { cluster: decided?.cluster ?? id, value }, { sign, sequence }))
            changes.push(decided === null ? { ...each, sums: null } : each);
        }
      }
    }
    const postponing = Array.from(unread, ([rule, ids]) => postpone(rule, ids));
    await awaitAll<unknown>([sums.fold(shard, changes), announce(lowScores), ...postponing]);
    // After their sums: a batch that is delivered again finds who counted a score.
    await awaitAll(removals.map((removal) => matches.remove(...removal)));
  };
};
