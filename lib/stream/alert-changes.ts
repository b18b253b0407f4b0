import type { DynamoDBRecord } from "aws-lambda";
import { isScoreSignal, windowEndAt, type AlertRule } from "../domain/alerts/rule.ts";
import { sumsOf, type AlertObservation } from "../domain/alerts/sums.ts";
import { scoreValue, traceValue } from "../domain/alerts/values.ts";
import type { TargetType } from "../domain/runs/run.ts";
import type { Score } from "../domain/scores/score.ts";
import type { ScoreFact } from "../domain/scores/statistics.ts";
import { awaitAll } from "../async/concurrency.ts";
import { epochOf } from "../domain/instant.ts";
import type { ListedTrace } from "../domain/traces/row.ts";
import type { ExistingProjects } from "../store/access/existing-projects.ts";
import type { CompiledRules } from "../store/alerts/matching-rules.ts";
import type { AlertSums, SumChange } from "../store/alerts/sums.ts";
import { unpackScore, unpackSessionScore } from "../store/scores/codec.ts";
import { instantOfOrder } from "../store/scores/keys.ts";
import { dayOfPartition } from "../store/traces/keys.ts";
import { PackedTrace } from "../store/traces/packed-trace.ts";
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

/** Returns the row in an image; null for other items. A row that had expired is none, since expiry takes nothing back. */
const traceOf = (
  image: NonNullable<DynamoDBRecord["dynamodb"]>["NewImage"],
  sort: string,
  at: number,
): PackedTrace | null => {
  const [packed, ttl] = [image?.["d"]?.B, image?.["ttl"]?.N];
  if (packed === undefined || (ttl !== undefined && Number(ttl) <= at)) return null;
  return new PackedTrace(Buffer.from(sort, "base64"), Buffer.from(packed, "base64"));
};

/** Returns the fold of trace rows: a trace counts at its start; a change takes the old row back and adds the new one. */
export const foldTraceAlerts =
  ({ rulesOf, sums, living }: Parts): AlertFold =>
  async (shard, records) => {
    const rows = records.flatMap(({ dynamodb }) => {
      const { pk, sk } = dynamodb?.Keys ?? {};
      if (pk?.B === undefined || sk?.B === undefined || dynamodb?.SequenceNumber === undefined) return [];
      const at = dynamodb.ApproximateCreationDateTime ?? 0;
      const [before, after] = [traceOf(dynamodb.OldImage, sk.B, at), traceOf(dynamodb.NewImage, sk.B, 0)];
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

/** Reads the row of a trace by its id and start; null if there is none. */
type RowReader = (project: string, trace: string, startedAt: string) => Promise<ListedTrace | null>;

/** A score that is below the value of a rule which announces scores. */
export interface LowScore {
  readonly rule: AlertRule;
  readonly score: Pick<Score, "id" | "name" | "eval_run_id" | "updated_at">;
  readonly target: { readonly type: TargetType; readonly id: string };
  readonly value: number;
}

interface ScoreParts extends Parts {
  readonly rowOf: RowReader;
  /** Announces low scores, each at least once. */
  readonly announce: (scores: readonly LowScore[]) => Promise<void>;
}

/** True if a change brought a score below the value of its rule. */
const becameLow = ({ settings }: AlertRule, before: ScoreFact | null, after: ScoreFact | null): boolean =>
  settings.announce_scores &&
  after !== null &&
  scoreValue(settings, after) === 1 &&
  (before === null || scoreValue(settings, before) !== 1);

/**
 * Returns the fold of scores: a score counts at its creation. Its trace is read for a rule with trace filters only; without
 * them each trace is a cluster of its own.
 */
export const foldScoreAlerts = ({ rulesOf, sums, living, rowOf, announce }: ScoreParts): AlertFold => {
  /** Reads the row of a scored trace; null if there is none, undefined if it cannot be read. */
  const readRow = async (project: string, trace: string, startedAt: string | null) => {
    try {
      return startedAt === null ? null : await rowOf(project, trace, startedAt);
    } catch (error) {
      logLine("alert_row_unreadable", { project_id: project, ...faultFields(error) });
      return undefined;
    }
  };

  return async (shard, records) => {
    const scores = records.map((record) => ({ record, change: scoreChange(record) }));
    const alive = await living(scores.map(({ change }) => change.project));
    const changes: SumChange[] = [];
    const lowScores: LowScore[] = [];
    for (const { record, change } of scores) {
      const { project, target, before, after, sequence } = change;
      const name = (after ?? before)?.name;
      if (!alive.has(project)) continue;
      const rules = (await rulesOf(project)).filter(
        ({ rule }) => isScoreSignal(rule.settings.signal) && rule.settings.metric_name === name,
      );
      const packed = (record.dynamodb?.NewImage ?? record.dynamodb?.OldImage)?.["d"]?.B;
      if (rules.length === 0 || packed === undefined) continue;
      const bytes = Buffer.from(packed, "base64");
      const score = target === "trace" ? unpackScore(bytes) : unpackSessionScore(bytes);
      const [id, startedAt] = "trace_id" in score ? [score.trace_id, score.trace_started_at] : [score.session_id, null];
      let reading: ReturnType<typeof readRow> | undefined;
      for (const { rule, filter } of rules) {
        const row = filter.matchesAll ? null : await (reading ??= readRow(project, id, startedAt));
        if (!filter.matchesAll && row !== undefined && (row === null || !filter.matches(row))) continue;
        const cluster = row?.sessionId ?? id;
        if (row !== undefined || filter.matchesAll) {
          if (becameLow(rule, before, after)) {
            const type = target === "trace" ? "TRACE" : "SESSION";
            lowScores.push({ rule, score, target: { type, id }, value: after?.value ?? 0 });
          }
        }
        for (const [fact, sign] of [
          [before, -1],
          [after, 1],
        ] as const) {
          const value = fact === null ? null : scoreValue(rule.settings, fact);
          if (fact === null || value === null) continue;
          const at = epochOf(instantOfOrder(fact.order));
          for (const each of changesOf(rule, at, { cluster, value }, { sign, sequence }))
            changes.push(row === undefined ? { ...each, sums: null } : each);
        }
      }
    }
    await awaitAll<unknown>([sums.fold(shard, changes), announce(lowScores)]);
  };
};
