import { anchorAt, nextInstant, normalCadence, parseCadence, type Cadence } from "./cadence.ts";
import type { Attempts } from "./attempts.ts";
import type { MonitorSettings } from "./fields.ts";
import { instantAt, type Instant } from "../instant.ts";
import type { Run, TargetType } from "../runs/run.ts";
import type { Watermark } from "./watermark.ts";

export const monitorStatuses = ["ACTIVE", "PAUSED"] as const;
export type MonitorStatus = (typeof monitorStatuses)[number];

/** Maximum number of monitors in a project: if each fires every minute, as many runs begin per minute. */
export const maxMonitors = 100;

/** A stored evaluation that fires on a schedule. Numeric times are epoch milliseconds. */
export interface Monitor {
  readonly id: string;
  readonly projectId: string;
  readonly targetType: TargetType;
  readonly settings: MonitorSettings;
  readonly status: MonitorStatus;
  /** Reason why the service paused the monitor; absent while it is active, and if a client paused it. */
  readonly pausedReason?: string | undefined;
  /** Increases with every change of the schedule; firings of an older generation are dropped. */
  readonly generation: number;
  /** Start of the intervals of a named cadence; a whole minute. */
  readonly anchor: number;
  /** Next scheduled instant; null while the monitor is paused. */
  readonly nextRunAt: number | null;
  readonly lastRunAt: Instant | null;
  readonly lastRunId: string | null;
  readonly watermark: Watermark | null;
  /** Failed or running attempts; absent if the last firing succeeded. */
  readonly attempts?: Attempts | undefined;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** Hash of the body of the creating request, for idempotent retries; absent if the request could not be retried. */
  readonly bodyHash?: string;
}

/** Parses the cadence of a monitor. @throws Error if the stored cadence is invalid. */
export const cadenceOf = ({ settings }: Pick<Monitor, "settings">): Cadence => {
  const cadence = parseCadence(settings.cadence);
  if (cadence.kind === "flaw") throw new Error(cadence.message);
  return cadence;
};

/** Restarts the schedule from now and forgets failed attempts. */
const restartSchedule = (monitor: Monitor, now: number): Monitor => {
  const anchor = anchorAt(now);
  const isActive = monitor.status === "ACTIVE";
  return {
    ...monitor,
    generation: monitor.generation + 1,
    anchor,
    attempts: undefined,
    nextRunAt: isActive ? nextInstant(cadenceOf(monitor), anchor, now) : null,
  };
};

/** Creates an active monitor without runs. */
export const newMonitor = (
  ids: Pick<Monitor, "id" | "projectId" | "targetType">,
  settings: MonitorSettings,
  now: number,
): Monitor => {
  const createdAt = instantAt(now);
  const monitor: Monitor = {
    ...ids,
    settings: { ...settings, cadence: normalCadence(settings.cadence) },
    status: "ACTIVE",
    generation: 0,
    anchor: 0,
    nextRunAt: null,
    lastRunAt: null,
    lastRunId: null,
    watermark: null,
    createdAt,
    updatedAt: createdAt,
  };
  return restartSchedule(monitor, now);
};

/**
 * Applies a change of settings. A new cadence restarts the schedule. New filters or metrics reset the watermark, so
 * that targets which they newly select count as changed. Failed attempts are forgotten.
 */
export const withSettings = (monitor: Monitor, changes: Partial<MonitorSettings>, now: number): Monitor => {
  const settings = { ...monitor.settings, ...changes };
  const updated = {
    ...monitor,
    settings: { ...settings, cadence: normalCadence(settings.cadence) },
    attempts: undefined,
    pausedReason: changes.metrics === undefined ? monitor.pausedReason : undefined,
    watermark: changes.filters === undefined && changes.metrics === undefined ? monitor.watermark : null,
    updatedAt: instantAt(now),
  };
  return changes.cadence === undefined ? updated : restartSchedule(updated, now);
};

/**
 * Pauses a monitor; firings scheduled during the pause are skipped for good.
 *
 * @param reason reason of the service; absent if a client asks for the pause.
 */
export const pausedMonitor = (monitor: Monitor, now: number, reason?: string): Monitor =>
  monitor.status === "PAUSED"
    ? monitor
    : restartSchedule({ ...monitor, status: "PAUSED", pausedReason: reason, updatedAt: instantAt(now) }, now);

/**
 * Pauses a monitor because it names metrics that do not exist any more, unless its metrics have changed since.
 *
 * @param metrics metrics of the monitor when this was found out.
 * @param cause sentence that names the missing metrics.
 */
export const pausedWithoutMetrics = (
  monitor: Monitor,
  { metrics, cause }: { readonly metrics: readonly string[]; readonly cause: string },
  now: number,
): Monitor =>
  JSON.stringify(monitor.settings.metrics) === JSON.stringify(metrics)
    ? pausedMonitor(monitor, now, `${cause} Change the metrics of the monitor, then resume it.`)
    : monitor;

/** Resumes a paused monitor; its cadence counts from now. */
export const resumedMonitor = (monitor: Monitor, now: number): Monitor =>
  monitor.status === "ACTIVE"
    ? monitor
    : restartSchedule({ ...monitor, status: "ACTIVE", pausedReason: undefined, updatedAt: instantAt(now) }, now);

/**
 * Records a run of a monitor; a run older than the recorded one changes nothing.
 *
 * @param watermark state covered by the run; null if unknown, which counts as no progress.
 */
export const withRun = (monitor: Monitor, { order }: Pick<Run, "order">, watermark: Watermark | null): Monitor => {
  const isLatestRun = monitor.lastRunId === order.id;
  const isOlder = monitor.lastRunAt !== null && order.createdAt < monitor.lastRunAt;
  if (isLatestRun) return monitor;
  // Due to clock skew a later run can have an earlier creation time; its watermark still applies.
  const continuesWatermark = watermark?.since !== undefined && watermark.since === monitor.watermark?.at;
  if (isOlder) return continuesWatermark ? { ...monitor, watermark } : monitor;
  return { ...monitor, lastRunAt: order.createdAt, lastRunId: order.id, watermark: watermark ?? monitor.watermark };
};

/** Advances a monitor after the firing of an instant: the next one lies after it and never moves back. */
export const afterFiring = (monitor: Monitor, instant: number): Monitor => {
  if (monitor.nextRunAt === null || monitor.nextRunAt > instant) return monitor;
  return { ...monitor, nextRunAt: nextInstant(cadenceOf(monitor), monitor.anchor, instant) };
};

/** Returns the name of a monitor's runs. */
export const runNameOf = ({ settings }: Pick<Monitor, "settings">): string => `[Monitor] ${settings.name}`;
