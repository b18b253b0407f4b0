import type { JsonObject } from "../json.ts";
import type { JudgeUsage } from "./judge-usage.ts";
import type { ServiceTier } from "./tier.ts";
import type { SignalWeights } from "../scores/signals.ts";
import type { Instant } from "../instant.ts";

export const runStatuses = ["PENDING", "RUNNING", "COMPLETED", "FAILED"] as const;
export type RunStatus = (typeof runStatuses)[number];

/** Types of targets that a run evaluates. */
export const targetTypes = ["TRACE", "SESSION"] as const;
export type TargetType = (typeof targetTypes)[number];

/** The request of a run with resolved defaults; never changes. */
export interface RunOrder {
  readonly id: string;
  readonly projectId: string;
  readonly name: string | null;
  readonly targetType: TargetType;
  readonly metrics: readonly string[];
  /** Filters of the targets, as requested. */
  readonly filters: JsonObject;
  readonly samplingRate: number;
  /** Judge model as requested; null for the system's default. */
  readonly model: string | null;
  /** The judge model that the run calls. */
  readonly resolvedModel: string;
  /** Service tier of the judge calls. */
  readonly tier: ServiceTier;
  readonly monitorId: string | null;
  readonly retryOf: string | null;
  /** True if targets are judged one at a time, in their order. */
  readonly sequential: boolean;
  /**
   * Weights of the signals (trace scores that session metrics are computed from), as requested; null for the defaults.
   * Not part of any response.
   */
  readonly signalWeights: Readonly<Partial<SignalWeights>> | null;
  /** Maximum cost of the run in US dollars; null for no limit. */
  readonly maxCostUsd: number | null;
  readonly total: number;
  readonly createdAt: Instant;
  /** Message for the user of a run without targets; null if there are targets. */
  readonly emptyMessage: string | null;
}

/** A target of a new run. */
export interface RunTarget {
  /** Id of the target, a trace or session. */
  readonly id: string;
  /** Indices in the run's list of metrics to evaluate for this target; null for all metrics. */
  readonly metrics: readonly number[] | null;
  /** For a session, a lower bound of its number of traces; 0 if unknown, and for a trace. */
  readonly traces: number;
}

/** Creates targets that are evaluated with all metrics of the run. */
export const wholeTargets = (ids: readonly string[]): readonly RunTarget[] =>
  ids.map((id) => ({ id, metrics: null, traces: 0 }));

/** Progress of a run in targets and (target, metric) pairs; the numbers never decrease. */
export interface RunCounts {
  /** Targets with all pairs settled, including failed and missing ones. */
  readonly evaluated: number;
  /** Pairs without a successful score. */
  readonly failed: number;
  /** Pairs with a successful score. */
  readonly scored: number;
  /** Targets that no longer exist. */
  readonly missing: number;
  /** Failed pairs of targets that no longer exist. */
  readonly lost: number;
}

/** An evaluation run: the request, the current status and progress. */
export interface Run extends RunCounts {
  readonly order: RunOrder;
  readonly status: RunStatus;
  readonly usage: JudgeUsage;
  /** Reason why the run cannot continue at the moment, for the user; null if it can. */
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
