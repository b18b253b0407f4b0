import { randomUUID } from "node:crypto";
import { defaultsOf } from "../../lib/domain/fields.ts";
import { monitorFields, type MonitorSettings } from "../../lib/domain/monitors/fields.ts";
import { newMonitor, type Monitor } from "../../lib/domain/monitors/monitor.ts";

/** Settings of a daily monitor of all traces. */
const monitorSettings: MonitorSettings = {
  ...defaultsOf(monitorFields),
  name: "nightly",
  metrics: ["task_completion"],
  cadence: "daily",
  only_if_changed: false,
};

/** Cadence of every minute. */
export const everyMinute = "cron:* * * * *";

/** A new monitor of a project's traces. @param now epoch milliseconds. */
export const someMonitor = (project: string, settings: Partial<MonitorSettings> = {}, now = Date.now()): Monitor =>
  newMonitor({ id: randomUUID(), projectId: project, targetType: "TRACE" }, { ...monitorSettings, ...settings }, now);
