import { mergeSpans, mergeTrace } from "./merge.ts";
import type { ModelPrice } from "./model-price.ts";
import { patchSpan, patchTrace } from "./patch.ts";
import { repricedSpans } from "./priced.ts";
import { mergeTelemetry } from "./telemetry.ts";
import type { IdentifiedSpan, IdentifiedTrace, PricedUpdate, TraceUpdate } from "./input.ts";
import type { Trace } from "./trace.ts";

/** One thing a client did to a trace. A document is stored as these, in order, and folded when it is read. */
export type TracePiece =
  | { readonly kind: "trace"; readonly trace: IdentifiedTrace }
  | { readonly kind: "telemetry"; readonly trace: IdentifiedTrace }
  | { readonly kind: "spans"; readonly spans: readonly IdentifiedSpan[] }
  | { readonly kind: "trace-patch"; readonly update: TraceUpdate }
  | { readonly kind: "span-patch"; readonly spanId: string; readonly update: PricedUpdate }
  /** What models cost by a newer list, by the names that spans have: the one piece that no client sends. */
  | { readonly kind: "prices"; readonly prices: readonly (readonly [model: string, price: ModelPrice])[] };

/** The kinds of pieces. */
export const pieceKinds = [
  "trace",
  "telemetry",
  "spans",
  "trace-patch",
  "span-patch",
  "prices",
] as const satisfies readonly TracePiece["kind"][];

/** A trace after something was done to it. */
export const withPiece = (before: Trace, piece: TracePiece): Trace => {
  switch (piece.kind) {
    case "trace":
      return mergeTrace(before, piece.trace);
    case "telemetry":
      return mergeTelemetry(before, piece.trace);
    case "spans":
      return { ...before, spans: mergeSpans(before.spans, piece.spans) };
    case "trace-patch":
      return patchTrace(before, piece.update);
    case "span-patch":
      return patchSpan(before, piece.spanId, piece.update);
    case "prices":
      return { ...before, spans: repricedSpans(before.spans, new Map(piece.prices)) };
    default:
      return piece satisfies never;
  }
};

/** The trace that some pieces make. @throws Error when the first of them is not a whole trace. */
export const foldPieces = (pieces: readonly TracePiece[]): Trace => {
  const [first, ...others] = pieces;
  if (first?.kind !== "trace") throw new Error("The first piece of a trace is not the trace.");
  return others.reduce(withPiece, mergeTrace(null, first.trace));
};
