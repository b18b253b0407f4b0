import { randomUUID } from "node:crypto";
import type { DynamoDBRecord } from "aws-lambda";
import { alertFields, type AlertSettings } from "../../../lib/domain/alerts/fields.ts";
import { anchorOf, type AlertRule } from "../../../lib/domain/alerts/rule.ts";
import { defaultsOf } from "../../../lib/domain/fields.ts";
import { instantAt } from "../../../lib/domain/instant.ts";
import type { TraceRow } from "../../../lib/domain/traces/row.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { evaluateAlerts } from "../../../lib/maintenance/evaluate-alerts.ts";
import { firstWindow, maxFirstReads } from "../../../lib/maintenance/first-window.ts";
import { pastWindows } from "../../../lib/store/alerts/past-windows.ts";
import { compiledRules } from "../../../lib/store/alerts/matching-rules.ts";
import { alertRules } from "../../../lib/store/alerts/rules.ts";
import { alertStateStore } from "../../../lib/store/alerts/states.ts";
import { alertSums } from "../../../lib/store/alerts/sums.ts";
import { unreadScoreReader } from "../../../lib/store/alerts/unread-scores.ts";
import { unreadScoreEvents } from "../../../lib/events/low-score.ts";
import { rowKeyIn } from "../../../lib/store/traces/keys.ts";
import { packRow } from "../../../lib/store/traces/row-codec.ts";
import { foldTraceAlerts } from "../../../lib/stream/alert-changes.ts";
import { withoutDeletions } from "../database/without-deletions.ts";
import type { Random } from "../random.ts";
import { generateRow } from "../traces/generate-row.ts";
import type { ReferenceTrace } from "./reference.ts";

const minute = 60_000;

/** Settings of a rule about errors with some changes. */
export const someAlertSettings = (changes: Partial<AlertSettings>): AlertSettings => ({
  ...defaultsOf(alertFields),
  name: "rule",
  signal: "error_rate",
  window: "6h",
  threshold: 0.02,
  minimum_count: 10,
  significance: true,
  ...changes,
});

/** A rule that is created at an instant. */
export const alertRuleOf = (projectId: string, changes: Partial<AlertSettings>, begin: number): AlertRule => ({
  id: randomUUID(),
  projectId,
  settings: someAlertSettings(changes),
  generation: 1,
  anchor: anchorOf(begin),
  createdAt: instantAt(begin),
  updatedAt: instantAt(begin),
});

/** The workers of alert rules on a database at the time of a clock. */
export const alertWorkers = (on: Database, now: () => number) => {
  const states = alertStateStore(on, now);
  const [rules, sums] = [alertRules(on, now), alertSums(on, states, now)];
  const readFirst = firstWindow(pastWindows(on, maxFirstReads, now), sums);
  const unreadScores = unreadScoreEvents(unreadScoreReader(on));
  return {
    rules,
    states,
    sums,
    fold: foldTraceAlerts({ rulesOf: compiledRules(on, now), sums, living: withoutDeletions }),
    unreadScores,
    firstWindow: readFirst,
    sweep: () => evaluateAlerts({ rules, states, sums, firstWindow: readFirst, unreadScores, now }, minute),
  };
};

let sequence = 0;

/** Stream record of a change of a trace's row. */
export const rowRecord = (
  project: string,
  id: string,
  before: TraceRow | null,
  after: TraceRow | null,
): DynamoDBRecord => {
  const { pk, sk } = rowKeyIn(project, id, (after ?? before)?.startedAt ?? "", 0);
  const imageOf = (row: TraceRow | null) => (row === null ? undefined : { d: { B: packRow(row).toString("base64") } });
  sequence += 1;
  return {
    dynamodb: {
      Keys: { pk: { B: pk.toString("base64") }, sk: { B: sk.toString("base64") } },
      SequenceNumber: String(sequence),
      ...(before !== null && { OldImage: imageOf(before) }),
      ...(after !== null && { NewImage: imageOf(after) }),
    },
  };
};

/** Row of a trace of the reference evaluation. */
export const referenceRow = (random: Random, { start, session, failed, latency, cost }: ReferenceTrace): TraceRow => ({
  ...generateRow(random, start),
  startedAt: instantAt(start),
  endedAt: instantAt(start + latency),
  sessionId: session,
  status: failed ? "ERROR" : "COMPLETED",
  totalCost: cost,
  contributions: null,
});
