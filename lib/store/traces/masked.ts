import type { IngestProject } from "../../domain/access/principal.ts";
import { maskerOf, type Masker } from "../../domain/masking/masker.ts";
import type { IdempotencyCheck } from "../../domain/idempotency-check.ts";
import type { IdentifiedSpan, IdentifiedTrace, SpanUpdate, TraceUpdate } from "../../domain/traces/input.ts";
import { maskSpan, maskTrace } from "../../domain/traces/masking/mask.ts";
import type { Trace } from "../../domain/traces/trace.ts";
import type { Traces } from "./save.ts";
import type { TraceSnapshot } from "./trace-snapshots.ts";

/** A project to store traces in, with its rules. */
export type StoringProject = Pick<IngestProject, "id" | "metadata_keys" | "masking">;

/** A change of a trace, or of one of its spans. */
type Patch =
  | { readonly kind: "trace-patch"; readonly update: TraceUpdate }
  | { readonly kind: "span-patch"; readonly spanId: string; readonly update: SpanUpdate };

/**
 * Store of the traces that clients send: all that a request stores of a trace goes through it, so that the project's masking applies before
 * anything follows from the texts. The functions are those of `Traces`.
 */
export interface MaskedTraces extends Pick<Traces, "snapshots"> {
  save(project: StoringProject, trace: IdentifiedTrace, kind?: "trace" | "telemetry"): Promise<void>;
  saveNew(project: StoringProject, trace: IdentifiedTrace): Promise<void>;
  saveIdempotent(project: StoringProject, trace: IdentifiedTrace, idempotency: IdempotencyCheck): Promise<void>;
  saveKnown(project: StoringProject, trace: IdentifiedTrace, snapshot: TraceSnapshot | null): Promise<void>;
  addSpans(project: StoringProject, trace: string, spans: readonly IdentifiedSpan[]): Promise<boolean>;
  change(project: StoringProject, trace: string, patch: Patch): Promise<Trace | null>;
}

const maskPatch = (masker: Masker, patch: Patch): Patch =>
  patch.kind === "trace-patch"
    ? { ...patch, update: maskTrace(masker, patch.update) }
    : { ...patch, update: maskSpan(masker, patch.update) };

/** Returns the store that masks what a project receives before it is stored. */
export const maskedTraces = (traces: Traces): MaskedTraces => {
  const masked = <Sent>({ masking }: StoringProject, sent: Sent, mask: (masker: Masker, sent: Sent) => Sent): Sent => {
    const masker = maskerOf(masking);
    return masker === null ? sent : mask(masker, sent);
  };
  const maskedTrace = (project: StoringProject, trace: IdentifiedTrace) => masked(project, trace, maskTrace);
  return {
    snapshots: (project, ids) => traces.snapshots(project, ids),
    save: (project, trace, kind = "trace") =>
      traces.save(project.id, maskedTrace(project, trace), kind, project.metadata_keys),
    saveNew: (project, trace) => traces.saveNew(project.id, maskedTrace(project, trace), project.metadata_keys),
    saveIdempotent: (project, trace, idempotency) =>
      traces.saveIdempotent(project.id, maskedTrace(project, trace), idempotency, project.metadata_keys),
    saveKnown: (project, trace, snapshot) =>
      traces.saveKnown(project.id, maskedTrace(project, trace), snapshot, project.metadata_keys),
    addSpans: (project, trace, spans) => {
      const maskedSpans = masked(project, spans, (masker) => spans.map((span) => maskSpan(masker, span)));
      return traces.addSpans(project.id, trace, maskedSpans, project.metadata_keys);
    },
    change: (project, trace, patch) =>
      traces.change(project.id, trace, masked(project, patch, maskPatch), project.metadata_keys),
  };
};
