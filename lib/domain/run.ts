import type { JsonObject } from "./json.ts";
import type { Instant } from "./trace.ts";

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
  readonly monitorId: string | null;
  readonly retryOf: string | null;
  readonly total: number;
  readonly createdAt: Instant;
  /** What to tell the user of a run that has nothing to do; null when it has. */
  readonly emptyMessage: string | null;
}

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
}

export interface Run extends RunCounts {
  readonly order: RunOrder;
  readonly status: RunStatus;
  readonly completedAt: Instant | null;
  readonly errorMessage: string | null;
}

export const noCounts: RunCounts = { evaluated: 0, failed: 0, scored: 0, missing: 0 };

export const addCounts = (a: RunCounts, b: RunCounts): RunCounts => ({
  evaluated: a.evaluated + b.evaluated,
  failed: a.failed + b.failed,
  scored: a.scored + b.scored,
  missing: a.missing + b.missing,
});

export const isTerminal = (status: RunStatus): boolean => status === "COMPLETED" || status === "FAILED";
