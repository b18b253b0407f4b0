import { isDeepStrictEqual } from "node:util";
import * as v from "valibot";
import type { ModelPrice } from "../../domain/traces/model-price.ts";
import { pieceKinds, type TracePiece } from "../../domain/traces/piece.ts";

/** What models cost, by name. */
type PriceTable = readonly (readonly [model: string, price: ModelPrice])[];

/** That a span has no price, where others of its model have the one in the table. */
const unpriced: ModelPrice = [];

/** A piece as it lies in storage: what its spans' models cost stands there once, and with a span where it has another price. */
type StoredPiece = TracePiece & { readonly prices?: PriceTable };

interface Priced {
  readonly model?: string | null | undefined;
  readonly price?: ModelPrice;
}

const inTable = <Item extends Priced>(
  spans: readonly Item[],
): { readonly spans: readonly Item[]; readonly prices?: PriceTable } => {
  const table = new Map<string, ModelPrice>();
  for (const { model, price } of spans) if (price !== undefined) table.set(model ?? "", price);
  if (table.size === 0) return { spans };
  const short = spans.map((span) => {
    const { price = unpriced, ...others } = span;
    const usual = table.get(span.model ?? "") ?? unpriced;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the price may be missing.
    return (price === usual || isDeepStrictEqual(price, usual) ? others : { ...others, price }) as Item;
  });
  return { spans: short, prices: [...table] };
};

const fromTable = <Item extends Priced>(spans: readonly Item[], prices: PriceTable): readonly Item[] => {
  const table = new Map(prices);
  return spans.map((span) => {
    const { price = table.get(span.model ?? "") ?? unpriced, ...others } = span;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the price may be missing.
    return (price.length === 0 ? others : { ...others, price }) as Item;
  });
};

const unfolded = (piece: StoredPiece): TracePiece => {
  if (piece.prices === undefined) return piece;
  const { kind, prices } = piece;
  if (kind === "spans") return { kind, spans: fromTable(piece.spans, prices) };
  if (kind !== "trace" && kind !== "telemetry") return piece;
  return { kind, trace: { ...piece.trace, spans: fromTable(piece.trace.spans ?? [], prices) } };
};

/** A stored piece. Written by this service and by nobody else: looked at only as far as telling its kind. */
export const storedPiece = v.pipe(
  v.custom<StoredPiece>((value) => v.is(v.object({ kind: v.picklist(pieceKinds) }), value)),
  v.transform(unfolded),
);

const withoutNulls = <Value extends object>(value: Value): Value => {
  const entries: readonly (readonly [string, unknown])[] = Object.entries(value);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is null was optional.
  return Object.fromEntries(entries.filter(([, field]) => field !== null && field !== undefined)) as Value;
};

/**
 * A piece as it is stored, null when it has nothing to store. Tags are left out: they lie in the row. In what a client
 * sent null says nothing and is left out; in a patch it clears.
 */
export const pieceToStore = (piece: TracePiece): StoredPiece | null => {
  switch (piece.kind) {
    case "trace":
    case "telemetry": {
      const { spans, ...priced } = inTable(piece.trace.spans?.map(withoutNulls) ?? []);
      const trace = withoutNulls({ ...piece.trace, tags: undefined, spans: piece.trace.spans && spans });
      return { kind: piece.kind, trace, ...priced };
    }
    case "spans":
      return { kind: "spans", ...inTable(piece.spans.map(withoutNulls)) };
    case "trace-patch": {
      const update = { ...piece.update, tags: undefined };
      const saysNothing = Object.values(update).every((field) => field === undefined);
      return saysNothing ? null : { kind: "trace-patch", update };
    }
    case "span-patch":
    case "prices":
      return piece;
    default:
      return piece satisfies never;
  }
};
