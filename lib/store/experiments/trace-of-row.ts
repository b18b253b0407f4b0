import type { ExperimentReference, ExperimentTrace } from "../../domain/experiments/experiment.ts";
import type { PackedTrace } from "../traces/packed-trace.ts";

/** Characters of the input that say which item a trace ran. */
const maxInputCharacters = 60;

/** Returns the trace of a row, which was read with its incarnation, as one of an experiment. */
export const experimentTraceOf = (
  row: PackedTrace,
  { itemId, itemName }: Pick<ExperimentReference, "itemId" | "itemName">,
): ExperimentTrace => ({
  traceId: row.traceId,
  incarnation: row.incarnation ?? "",
  itemId,
  itemName,
  input:
    Array.from(row.facts?.preview ?? "")
      .slice(0, maxInputCharacters)
      .join("") || null,
  startedAt: row.startedAt,
  hasEnded: row.status !== "RUNNING",
  hasFailed: row.status === "ERROR",
  latencyMilliseconds: row.latency,
  cost: row.totalCost,
  tokens: row.totalTokens,
});
