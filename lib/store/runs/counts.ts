import type { TargetType } from "../../domain/runs/run.ts";

/** Scope of the runs of one target type; their facets are their statuses. */
export const runsOfType = (targetType: TargetType): string => `type#${targetType}`;

/** Scope of the runs of a monitor, of whatever status. */
export const runsOfMonitor = (monitor: string): string => `monitor#${monitor}`;

/** The one facet of such a scope. */
export const anyStatus = "ANY";
