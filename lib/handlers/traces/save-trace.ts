import { invalid } from "../../domain/refusal.ts";
import type { IdentifiedTrace, TraceInput } from "../../domain/traces/input.ts";
import { startFlaw, type StartBounds } from "../../domain/traces/limits.ts";
import type { MaskedTraces, StoringProject } from "../../store/traces/masked.ts";

/** Parts of a request that creates traces. */
interface SaveRequest {
  readonly project: StoringProject;
  /** True if generated ids are random and cannot exist yet; false if they are derived from an idempotency key. */
  readonly hasRandomIds: boolean;
}

/** Checks that a trace starts within the allowed range. @throws Refusal `invalid` outside the range. */
export const checkStart = (trace: Pick<IdentifiedTrace, "started_at">, starts: StartBounds): void => {
  const flaw = startFlaw(trace.started_at, starts, Date.now());
  if (flaw !== null) throw invalid(["body", "started_at"], flaw);
};

/**
 * Stores a trace. A trace with a generated random id is stored without reading an existing trace first.
 *
 * @param input trace as received, possibly without ids.
 * @param trace the same trace with ids.
 * @throws Refusal `invalid` when the trace starts outside the allowed range; also as `Traces.save`.
 */
export const saveTrace = async (
  traces: Pick<MaskedTraces, "save" | "saveNew">,
  starts: StartBounds,
  { project, hasRandomIds }: SaveRequest,
  input: TraceInput,
  trace: IdentifiedTrace,
): Promise<void> => {
  checkStart(trace, starts);
  await (hasRandomIds && input.trace_id !== trace.trace_id
    ? traces.saveNew(project, trace)
    : traces.save(project, trace));
};
