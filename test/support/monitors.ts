import { randomUUID } from "node:crypto";
import { newMonitor, type Monitor, type MonitorSettings } from "../../lib/domain/monitors/monitor.ts";

/** Settings of a daily monitor of all traces. */
const monitorSettings: MonitorSettings = {
  name: "nightly",
  metrics: ["task_completion"],
  filters: {},
  samplingRate: 1,
  model: null,
  cadence: "daily",
  onlyIfChanged: false,
  scope: "all",
  signalWeights: null,
  maxCostUsd: null,
  tier: null,
};

/** Cadence of every minute. */
export const everyMinute = "cron:* * * * *";

/** A new monitor of a project's traces. @param now epoch milliseconds. */
export const someMonitor = (project: string, settings: Partial<MonitorSettings> = {}, now = Date.now()): Monitor =>
  newMonitor({ id: randomUUID(), projectId: project, targetType: "TRACE" }, { ...monitorSettings, ...settings }, now);
