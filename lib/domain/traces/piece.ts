import { equalsJson } from "../json.ts";
import { mergeSpans, mergeTrace } from "./merge.ts";
import type { ModelPrice } from "./model-price.ts";
import { patchSpan, patchTrace } from "./patch.ts";
import { repricedSpans } from "./span-cost.ts";
import { mergeTelemetry } from "./derivation/merge-telemetry.ts";
import type { IdentifiedSpan, IdentifiedTrace, PricedUpdate, TraceUpdate } from "./input.ts";
import type { PieceMergeState } from "./row.ts";
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

/** Document pieces that can add spans to a trace. */
export type SpanPiece = Extract<TracePiece, { kind: "trace" | "telemetry" | "spans" }>;

/** Kinds of document pieces. */
export const pieceKinds = [
  "trace",
  "telemetry",
  "spans",
  "trace-patch",
  "span-patch",
  "prices",
] as const satisfies readonly TracePiece["kind"][];

/** True for document pieces that can add spans to a trace. */
export const addsSpans = (piece: TracePiece): piece is SpanPiece =>
  ["trace", "telemetry", "spans"].includes(piece.kind);

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

/** A range of neighbouring document pieces to merge: `from` inclusive, `to` exclusive. */
export interface PieceRange {
  readonly from: number;
  readonly to: number;
  /** Highest size class (tier) of the pieces in the range. */
  readonly tier: number;
}

/** Size class (tier) of document pieces that are never merged: the trace as first sent, or a whole document. */
export const wholeTier = 100;

/** Size class (tier) from which on document pieces are not merged: their bytes were already written eight times. */
const lastTier = 8;

/**
 * Number of document pieces of one size class (tier) that are merged at once; more in tier 0, whose pieces arrive one
 * by one.
 */
const piecesPerMerge = (tier: number): number => (tier === 0 ? 16 : 8);

/** Lower bounds, in bytes, of the size classes (tiers) of new document pieces, from tier 1 on. */
const tierBytes = [4 * 1024, 32 * 1024, 256 * 1024, 2 * 1024 * 1024];

/** Returns the size class (tier) of a new document piece by its stored bytes; pieces of similar size are merged. */
export const firstTier = (bytes: number): number => tierBytes.filter((bound) => bytes >= bound).length;

/**
 * Maximum number of pieces of a document; above it the document is rewritten as one piece, unless pieces can be merged.
 */
const maxScatteredPieces = 96;

/** True if a document has so many pieces that it has to be rewritten as one. */
export const isScattered = (ages: readonly PieceMergeState[]): boolean =>
  ages.length > maxScatteredPieces && rangeToMerge(ages) === null;

/**
 * Returns the next range of document pieces to merge; null if there is none. The merged piece is one size class (tier)
 * higher, so that each byte is written once per tier, whatever the size of the document.
 */
export const rangeToMerge = (ages: readonly PieceMergeState[], highest = lastTier): PieceRange | null => {
  for (let tier = 0; tier < Math.min(highest + 1, lastTier); tier += 1) {
    let [from, count] = [0, 0];
    for (const [at, age] of ages.entries()) {
      if (age.tier > tier) [from, count] = [at + 1, 0];
      else if (age.tier === tier) count += 1;
      const next = ages[at + 1];
      const ends = next === undefined || next.tier > tier;
      if (ends && count >= piecesPerMerge(tier)) return { from, to: at + 1, tier };
    }
  }
  return null;
};

/** Fields by which traces are filed and found, which no judge sees. */
const labels = { tags: [], environment: null, release: null, user_id: null, session_id: null } as const;

/** True if a judge sees the same in both. */
export const hasSameContent = (before: Trace, after: Trace): boolean =>
  equalsJson({ ...before, ...labels }, { ...after, ...labels });
