import type { JsonObject } from "../json.ts";
import type { JudgeUsage } from "./judge-usage.ts";
import type { Tier } from "./tier.ts";
import type { SignalWeights } from "../scores/signals.ts";
import type { Instant } from "../instant.ts";

export const runStatuses = ["PENDING", "RUNNING", "COMPLETED", "FAILED"] as const;
export type RunStatus = (typeof runStatuses)[number];

export const targetTypes = ["TRACE", "SESSION"] as const;
export type TargetType = (typeof targetTypes)[number];

/** What a run was asked to do; never changes. */
export interface RunOrder {
  readonly id: string;
  readonly projectId: string;
  readonly name: string | null;
  readonly targetType: TargetType;
  readonly metrics: readonly string[];
  /** As sent. */
  readonly filters: JsonObject;
  readonly samplingRate: number;
  /** As sent; null means the system's default. */
  readonly model: string | null;
  /** The model really used. */
  readonly resolvedModel: string;
  /** At which its judge is asked. */
  readonly tier: Tier;
  readonly monitorId: string | null;
  readonly retryOf: string | null;
  /** One judgement after the other, in the targets' order. */
  readonly sequential: boolean;
  /** Of a run of sessions, as sent: what each signal counts; null means the defaults. In no reply. */
  readonly signalWeights: Readonly<Partial<SignalWeights>> | null;
  /** US dollars the run may cost; null: as much as it does. */
  readonly maxCostUsd: number | null;
  readonly total: number;
  readonly createdAt: Instant;
  /** What to tell the user of a run that has nothing to do; null when it has. */
  readonly emptyMessage: string | null;
}

/** A target as a run is made with it. */
export interface RunTarget {
  /** A trace's id or a session's. */
  readonly id: string;
  /** Positions of the metrics it is evaluated with; null means all of the run's. */
  readonly metrics: readonly number[] | null;
  /** Traces a session was seen to have, at least; 0 when nobody looked, and for a trace. */
  readonly traces: number;
}

/** Targets that are evaluated with every metric. */
export const wholeTargets = (ids: readonly string[]): readonly RunTarget[] =>
  ids.map((id) => ({ id, metrics: null, traces: 0 }));

/** How far a run is. All rise, and none ever passes what the order allows. */
export interface RunCounts {
  /** Targets with all their pairs settled, failed and missing ones included. */
  readonly evaluated: number;
  /** Pairs that did not get a successful score. */
  readonly failed: number;
  /** Pairs that did. */
  readonly scored: number;
  /** Targets that were not there any more. */
  readonly missing: number;
  /** Failed pairs of targets that were not there any more. */
  readonly lost: number;
}

export interface Run extends RunCounts {
  readonly order: RunOrder;
  readonly status: RunStatus;
  readonly usage: JudgeUsage;
  /** What keeps the run from going on, in words for a user; null when nothing does. */
  readonly waitingFor: string | null;
  readonly completedAt: Instant | null;
  readonly errorMessage: string | null;
}

export const noCounts: RunCounts = { evaluated: 0, failed: 0, scored: 0, missing: 0, lost: 0 };

export const addCounts = (a: RunCounts, b: RunCounts): RunCounts => ({
  evaluated: a.evaluated + b.evaluated,
  failed: a.failed + b.failed,
  scored: a.scored + b.scored,
  missing: a.missing + b.missing,
  lost: a.lost + b.lost,
});

export const isTerminal = (status: RunStatus): boolean => status === "COMPLETED" || status === "FAILED";
