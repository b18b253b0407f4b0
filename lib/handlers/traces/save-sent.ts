import type { CallersProject } from "../../domain/access/principal.ts";
import { invalid } from "../../domain/refusal.ts";
import type { IdentifiedTrace, TraceInput } from "../../domain/traces/input.ts";
import { startFlaw, type StartBounds } from "../../domain/traces/starts.ts";
import type { Traces } from "../../store/traces/save.ts";

/** What a handler knows of a request that sends traces. */
interface Sending {
  readonly project: Pick<CallersProject, "id" | "metadataKeys">;
  /** Whether the ids that it mints are of this request alone, and not those of one that it repeats. */
  readonly mintsAnew: boolean;
}

/** @throws Refusal `invalid` for a trace that starts when none may. */
export const checkStart = (trace: Pick<IdentifiedTrace, "started_at">, starts: StartBounds): void => {
  const flaw = startFlaw(trace.started_at, starts, Date.now());
  if (flaw !== null) throw invalid(["body", "started_at"], flaw);
};

/**
 * Stores a trace. One whose id was made just now nobody else can know: it is not looked for.
 *
 * @throws Refusal `invalid` when it starts when no trace may; else as `Traces.save`.
 */
export const saveSent = async (
  traces: Pick<Traces, "save" | "saveNew">,
  starts: StartBounds,
  { project, mintsAnew }: Sending,
  sent: TraceInput,
  trace: IdentifiedTrace,
): Promise<void> => {
  checkStart(trace, starts);
  await (mintsAnew && sent.trace_id !== trace.trace_id
    ? traces.saveNew(project.id, trace, project.metadataKeys)
    : traces.save(project.id, trace, "trace", project.metadataKeys));
};
