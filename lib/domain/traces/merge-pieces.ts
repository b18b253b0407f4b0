import { definedFields } from "../fields.ts";
import type { IdentifiedTrace, PricedUpdate, TraceUpdate } from "./input.ts";
import type { TracePiece } from "./piece.ts";

/** A document piece to be merged with its neighbours. */
export interface MergeablePiece {
  readonly piece: TracePiece;
  /** True if a piece of OpenTelemetry spans may be merged with another such piece. */
  readonly isMergeable: boolean;
}

/** Fields that null leaves unchanged in a patch. */
const unclearableFields = new Set(["name", "kind", "status", "metadata"]);

/** Merges two patches into one; the second one wins, except for fields that it leaves unchanged. */
const mergeUpdates = <Update extends TraceUpdate | PricedUpdate>(first: Update, second: Update): Update => {
  const entries = Object.entries(definedFields(second)).filter(
    ([key, value]) => value !== null || !unclearableFields.has(key),
  );
  const both = { ...first, ...Object.fromEntries(entries) };
  const metadata = { ...first.metadata, ...second.metadata };
  return Object.keys(metadata).length === 0 ? both : { ...both, metadata };
};

/** Merges two patches of a span into one; the price belongs to the model of the patch that names it. */
const mergeSpanUpdates = (first: PricedUpdate, second: PricedUpdate): PricedUpdate => {
  const { price: _, ...both } = mergeUpdates(first, second);
  const price = second.model === undefined ? first.price : second.price;
  return price === undefined ? both : { ...both, price };
};

/** Merges two uploads of a trace into one with the same effect; fields absent from the second are taken from the first. */
export const mergeTraceInputs = (first: IdentifiedTrace, second: IdentifiedTrace): IdentifiedTrace => {
  const presentFields = Object.entries(second).filter(([, value]) => value !== null && value !== undefined);
  return {
    ...first,
    ...Object.fromEntries(presentFields),
    trace_id: second.trace_id,
    name: second.name,
    started_at: second.started_at,
    metadata: { ...first.metadata, ...second.metadata },
    spans: [...(first.spans ?? []), ...(second.spans ?? [])],
    // Pieces in storage have no tags.
    ...((first.tags || second.tags) && { tags: [...(first.tags ?? []), ...(second.tags ?? [])] }),
  };
};

/** Merges two consecutive pieces into one with the same effect; null if that is impossible. */
const mergeTwo = ({ piece: first, isMergeable }: MergeablePiece, next: MergeablePiece): TracePiece | null => {
  const second = next.piece;
  if (first.kind === "spans" && second.kind === "spans") {
    return { kind: "spans", spans: [...first.spans, ...second.spans] };
  }
  if (first.kind === "trace" && second.kind === "trace") {
    return { kind: "trace", trace: mergeTraceInputs(first.trace, second.trace) };
  }
  if (first.kind === "telemetry" && second.kind === "telemetry" && isMergeable && next.isMergeable) {
    return { kind: "telemetry", trace: mergeTraceInputs(first.trace, second.trace) };
  }
  if (first.kind === "trace-patch" && second.kind === "trace-patch") {
    return { kind: "trace-patch", update: mergeUpdates(first.update, second.update) };
  }
  if (first.kind === "span-patch" && second.kind === "span-patch" && first.spanId === second.spanId) {
    return { kind: "span-patch", spanId: first.spanId, update: mergeSpanUpdates(first.update, second.update) };
  }
  if (first.kind === "prices" && second.kind === "prices") {
    return { kind: "prices", prices: [...new Map([...first.prices, ...second.prices])] };
  }
  return null;
};

/** True if two pieces can be swapped, because one changes only spans and the other only fields of the trace. */
const areIndependent = (first: TracePiece, second: TracePiece): boolean => {
  const scopeOf = ({ kind }: TracePiece): "spans" | "fields" | "both" =>
    kind === "spans" || kind === "span-patch" || kind === "prices"
      ? "spans"
      : kind === "trace-patch"
        ? "fields"
        : "both";
  const [firstScope, secondScope] = [scopeOf(first), scopeOf(second)];
  return firstScope !== secondScope && firstScope !== "both" && secondScope !== "both";
};

/** Merges document pieces, in order, into as few pieces as possible with the same effect on any trace. */
export const mergePieces = (pieces: readonly MergeablePiece[]): readonly MergeablePiece[] => {
  const merged: MergeablePiece[] = [];
  const add = (next: MergeablePiece): void => {
    for (let at = merged.length - 1; at >= 0; at -= 1) {
      const before = merged[at];
      if (before === undefined) break;
      const mergedPiece = mergeTwo(before, next);
      if (mergedPiece !== null) {
        merged[at] = { piece: mergedPiece, isMergeable: before.isMergeable };
        return;
      }
      if (!areIndependent(before.piece, next.piece)) break;
    }
    merged.push(next);
  };
  pieces.forEach(add);
  return merged;
};
