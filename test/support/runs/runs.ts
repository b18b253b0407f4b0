import { randomUUID } from "node:crypto";
import type { RunOrder } from "../../../lib/domain/runs/run.ts";

/** An order of a run with two metrics, with some fields replaced. */
export const someOrder = (fields: Partial<RunOrder> = {}): RunOrder => ({
  id: randomUUID(),
  projectId: randomUUID(),
  name: null,
  targetType: "TRACE",
  metrics: ["task_completion", "tool_correctness"],
  filters: {},
  samplingRate: 1,
  model: null,
  resolvedModel: "offline/rules",
  tier: "standard",
  monitorId: null,
  retryOf: null,
  sequential: false,
  signalWeights: null,
  maxCostUsd: null,
  total: 1,
  createdAt: "2026-10-01T10:00:00+00:00",
  emptyMessage: null,
  ...fields,
});
