import type { IdentifiedTrace, TraceInput } from "../../domain/traces/input.ts";
import type { Traces } from "../../store/traces/save.ts";

/** What a handler knows of a request that sends traces. */
interface Sending {
  readonly project: { readonly id: string };
  /** Whether the ids that it mints are of this request alone, and not those of one that it repeats. */
  readonly mintsAnew: boolean;
}

/** Stores a trace. One whose id was made just now nobody else can know: it is not looked for. */
export const saveSent = (
  traces: Pick<Traces, "save" | "saveNew">,
  { project, mintsAnew }: Sending,
  sent: TraceInput,
  trace: IdentifiedTrace,
): Promise<void> =>
  mintsAnew && sent.trace_id !== trace.trace_id ? traces.saveNew(project.id, trace) : traces.save(project.id, trace);
