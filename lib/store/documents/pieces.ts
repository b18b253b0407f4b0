import * as v from "valibot";
import { pieceKinds, type TracePiece } from "../../domain/traces/piece.ts";

/** A stored piece. Written by this service and by nobody else: looked at only as far as telling its kind. */
export const storedPiece = v.custom<TracePiece>((value) => v.is(v.object({ kind: v.picklist(pieceKinds) }), value));

const withoutNulls = <Value extends object>(value: Value): Value => {
  const entries: readonly (readonly [string, unknown])[] = Object.entries(value);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is null was optional.
  return Object.fromEntries(entries.filter(([, field]) => field !== null && field !== undefined)) as Value;
};

/**
 * A piece as it is stored, null when it has nothing to store. Tags are left out: they lie in the row. In what a client
 * sent null says nothing and is left out; in a patch it clears.
 */
export const pieceToStore = (piece: TracePiece): TracePiece | null => {
  switch (piece.kind) {
    case "trace":
    case "telemetry": {
      const spans = piece.trace.spans?.map(withoutNulls);
      return { kind: piece.kind, trace: withoutNulls({ ...piece.trace, tags: undefined, spans }) };
    }
    case "spans":
      return { kind: "spans", spans: piece.spans.map(withoutNulls) };
    case "trace-patch": {
      const update = { ...piece.update, tags: undefined };
      const saysNothing = Object.values(update).every((field) => field === undefined);
      return saysNothing ? null : { kind: "trace-patch", update };
    }
    case "span-patch":
      return piece;
    default:
      return piece satisfies never;
  }
};
