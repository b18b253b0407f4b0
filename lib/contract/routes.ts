import type { Route } from "./route.ts";
import { getDocs, getHealth, getOpenApi } from "./service.ts";
import { listTraceMetrics } from "./trace-metrics.ts";
import { createTraceRun, getTraceRun, listTraceRuns, listTraceRunScores } from "./trace-runs.ts";
import { createTrace, getTrace, listTraces } from "./traces.ts";

/** Every endpoint of the service. Only the handlers that describe the interface read it; others, their resource's file. */
export const routes: readonly Route[] = [
  getHealth,
  getOpenApi,
  getDocs,
  createTrace,
  listTraces,
  getTrace,
  listTraceMetrics,
  createTraceRun,
  listTraceRuns,
  getTraceRun,
  listTraceRunScores,
];
