import type { Tier } from "../runs/tier.ts";
import { anchorAt, nextInstant, normalCadence, parseCadence, type Cadence } from "./cadence.ts";
import type { Attempts } from "./attempts.ts";
import { instantAt, type Instant } from "../instant.ts";
import type { JsonObject } from "../json.ts";
import type { Run, TargetType } from "../runs/run.ts";
import type { Watermark } from "./watermark.ts";

export const monitorStatuses = ["ACTIVE", "PAUSED"] as const;
export type MonitorStatus = (typeof monitorStatuses)[number];

/** Monitors of one project: as many runs may begin in one minute, where each fires every minute. */
export const mostMonitors = 100;

/** What a firing judges: everything that matches, or only what arrived or changed since the previous run. */
export const monitorScopes = ["all", "changed"] as const;
type MonitorScope = (typeof monitorScopes)[number];

/** What a user sets and may change. */
export interface MonitorSettings {
  readonly name: string;
  readonly metrics: readonly string[];
  /** As sent. */
  readonly filters: JsonObject;
  readonly samplingRate: number;
  /** As sent; null means the system's default at the time of a run. */
  readonly model: string | null;
  readonly cadence: string;
  readonly onlyIfChanged: boolean;
  readonly scope: MonitorScope;
  readonly signalWeights: Readonly<Record<string, number>> | null;
  readonly maxCostUsd: number | null;
  /** As sent; null means the service's default. */
  readonly tier: Tier | null;
}

/** A saved evaluation that fires by itself. Times without a type are epoch milliseconds. */
export interface Monitor {
  readonly id: string;
  readonly projectId: string;
  readonly targetType: TargetType;
  readonly settings: MonitorSettings;
  readonly status: MonitorStatus;
  /** Rises whenever the schedule changes: a firing of an older one is dropped. */
  readonly generation: number;
  /** What the words of a cadence count from; a whole minute. */
  readonly anchor: number;
  /** The next scheduled instant; null while it is paused. */
  readonly nextRunAt: number | null;
  readonly lastRunAt: Instant | null;
  readonly lastRunId: string | null;
  readonly watermark: Watermark | null;
  /** Absent when the last firing succeeded. */
  readonly attempts?: Attempts | undefined;
  readonly createdAt: Instant;
  readonly updatedAt: Instant;
  /** Of the request that made it; absent when that could not come again. */
  readonly bodyHash?: string;
}

/** The cadence of a monitor. @throws Error when what is stored is none. */
export const cadenceOf = ({ settings }: Pick<Monitor, "settings">): Cadence => {
  const cadence = parseCadence(settings.cadence);
  if (cadence.kind === "flaw") throw new Error(cadence.message);
  return cadence;
};

/** The schedule begins anew, as from now, and nothing has been tried. */
const rescheduled = (monitor: Monitor, now: number): Monitor => {
  const anchor = anchorAt(now);
  const active = monitor.status === "ACTIVE";
  return {
    ...monitor,
    generation: monitor.generation + 1,
    anchor,
    attempts: undefined,
    nextRunAt: active ? nextInstant(cadenceOf(monitor), anchor, now) : null,
  };
};

/** A monitor as it begins: active, nothing run yet. */
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
  return rescheduled(monitor, now);
};

/**
 * A monitor after a change of its settings. Another cadence begins anew; other filters or metrics forget what the
 * previous run saw, so that what they newly select is not taken for unchanged. What has failed is tried anew.
 */
export const withSettings = (monitor: Monitor, given: Partial<MonitorSettings>, now: number): Monitor => {
  const settings = { ...monitor.settings, ...given };
  const changed = {
    ...monitor,
    settings: { ...settings, cadence: normalCadence(settings.cadence) },
    attempts: undefined,
    watermark: given.filters === undefined && given.metrics === undefined ? monitor.watermark : null,
    updatedAt: instantAt(now),
  };
  return given.cadence === undefined ? changed : rescheduled(changed, now);
};

/** A monitor that does not fire until it is resumed; what is missed meanwhile is not made up. */
export const paused = (monitor: Monitor, now: number): Monitor =>
  monitor.status === "PAUSED" ? monitor : rescheduled({ ...monitor, status: "PAUSED", updatedAt: instantAt(now) }, now);

/** A paused monitor that fires again, its cadence counted from now. */
export const resumed = (monitor: Monitor, now: number): Monitor =>
  monitor.status === "ACTIVE" ? monitor : rescheduled({ ...monitor, status: "ACTIVE", updatedAt: instantAt(now) }, now);

/**
 * A monitor once one of its runs was made; an older run than the one it shows changes nothing.
 *
 * @param watermark how far the run saw; null when it is not known: in doubt, it has seen nothing new.
 */
export const withRun = (monitor: Monitor, { order }: Pick<Run, "order">, watermark: Watermark | null): Monitor => {
  const known = monitor.lastRunId === order.id;
  const older = monitor.lastRunAt !== null && order.createdAt < monitor.lastRunAt;
  if (known) return monitor;
  // Of two runs within the difference of two machines' clocks the later may be dated before the other.
  const goesOn = watermark?.since !== undefined && watermark.since === monitor.watermark?.at;
  if (older) return goesOn ? { ...monitor, watermark } : monitor;
  return { ...monitor, lastRunAt: order.createdAt, lastRunId: order.id, watermark: watermark ?? monitor.watermark };
};

/** A monitor once the firing of an instant is dealt with: the next one lies after it, and never moves back. */
export const afterFiring = (monitor: Monitor, instant: number): Monitor => {
  if (monitor.nextRunAt === null || monitor.nextRunAt > instant) return monitor;
  return { ...monitor, nextRunAt: nextInstant(cadenceOf(monitor), monitor.anchor, instant) };
};

/** The name of a monitor's runs. */
export const runNameOf = ({ settings }: Pick<Monitor, "settings">): string => `[Monitor] ${settings.name}`;
