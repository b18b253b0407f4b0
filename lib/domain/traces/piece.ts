import { mergeSpans, mergeTrace } from "./merge.ts";
import type { ModelPrice } from "./model-price.ts";
import { patchSpan, patchTrace } from "./patch.ts";
import { repricedSpans } from "./span-cost.ts";
import { mergeTelemetry } from "./telemetry.ts";
import type { IdentifiedSpan, IdentifiedTrace, PricedUpdate, TraceUpdate } from "./input.ts";
import type { Trace } from "./trace.ts";

/**
 * A document piece: one stored change of a trace. A document is stored as a list of pieces and assembled when it is
 * read.
 */
export type TracePiece =
  | { readonly kind: "trace"; readonly trace: IdentifiedTrace }
  | { readonly kind: "telemetry"; readonly trace: IdentifiedTrace }
  | { readonly kind: "spans"; readonly spans: readonly IdentifiedSpan[] }
  | { readonly kind: "trace-patch"; readonly update: TraceUpdate }
  | { readonly kind: "span-patch"; readonly spanId: string; readonly update: PricedUpdate }
  /** Updated prices by model name; the only piece that does not come from a client. */
  | { readonly kind: "prices"; readonly prices: readonly (readonly [model: string, price: ModelPrice])[] };

/** Kinds of document pieces. */
export const pieceKinds = [
  "trace",
  "telemetry",
  "spans",
  "trace-patch",
  "span-patch",
  "prices",
] as const satisfies readonly TracePiece["kind"][];

/** Applies a document piece to a trace. */
export const applyPiece = (before: Trace, piece: TracePiece): Trace => {
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

/** Assembles a trace from its document pieces. @throws Error if the first piece is not a whole trace. */
export const foldPieces = (pieces: readonly TracePiece[]): Trace => {
  const [first, ...laterPieces] = pieces;
  if (first?.kind !== "trace") throw new Error("The first piece of a trace is not the trace.");
  return laterPieces.reduce(applyPiece, mergeTrace(null, first.trace));
};
