import { isDeepStrictEqual } from "node:util";
import * as v from "valibot";
import type { ModelPrice } from "../../domain/traces/model-price.ts";
import { pieceKinds, type TracePiece } from "../../domain/traces/piece.ts";

const hourMilliseconds = 3_600_000;

/**
 * Hours after which the writer of a part has certainly ended: a day, and the hour by which the stamp is rounded down.
 */
const writerHours = 25;

/**
 * Returns the hour in which a part is written, stored with it: whole hours since 1970.
 *
 * @param now epoch milliseconds.
 */
export const writeHour = (now: number): number => Math.floor(now / hourMilliseconds);

/**
 * True if the function that wrote a part has certainly ended.
 *
 * @param hour hour of the write, as returned by `writeHour`.
 * @param now epoch milliseconds.
 */
export const hasWriterEnded = (hour: number, now: number): boolean => writeHour(now) - hour >= writerHours;

/** Prices of models, by model name. */
type PriceTable = readonly (readonly [model: string, price: ModelPrice])[];

/** Marks a span without a price whose model has a price in the table. */
const noPrice: ModelPrice = [];

/**
 * A document piece in storage form: prices of models are stored once in `prices`; a span stores a price only if it
 * differs from the table's.
 */
type StoredPiece = TracePiece & { readonly prices?: PriceTable };

interface PricedSpan {
  readonly model?: string | null | undefined;
  readonly price?: ModelPrice;
}

const withPriceTable = <Item extends PricedSpan>(
  spans: readonly Item[],
): { readonly spans: readonly Item[]; readonly prices?: PriceTable } => {
  const table = new Map<string, ModelPrice>();
  for (const { model, price } of spans) if (price !== undefined) table.set(model ?? "", price);
  if (table.size === 0) return { spans };
  const spansWithoutTablePrices = spans.map((span) => {
    const { price = noPrice, ...spanFields } = span;
    const tablePrice = table.get(span.model ?? "") ?? noPrice;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the price may be missing.
    return (
      price === tablePrice || isDeepStrictEqual(price, tablePrice) ? spanFields : { ...spanFields, price }
    ) as Item;
  });
  return { spans: spansWithoutTablePrices, prices: [...table] };
};

const withSpanPrices = <Item extends PricedSpan>(spans: readonly Item[], prices: PriceTable): readonly Item[] => {
  const table = new Map(prices);
  return spans.map((span) => {
    const { price = table.get(span.model ?? "") ?? noPrice, ...spanFields } = span;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the price may be missing.
    return (price.length === 0 ? spanFields : { ...spanFields, price }) as Item;
  });
};

const withoutPriceTable = (piece: StoredPiece): TracePiece => {
  if (piece.prices === undefined) return piece;
  const { kind, prices } = piece;
  if (kind === "spans") return { kind, spans: withSpanPrices(piece.spans, prices) };
  if (kind !== "trace" && kind !== "telemetry") return piece;
  return { kind, trace: { ...piece.trace, spans: withSpanPrices(piece.trace.spans ?? [], prices) } };
};

/** Schema of a stored document piece. Only this service writes pieces, so only the kind is validated. */
export const storedPiece = v.pipe(
  v.custom<StoredPiece>((value) => v.is(v.object({ kind: v.picklist(pieceKinds) }), value)),
  v.transform(withoutPriceTable),
);

const withoutNulls = <Value extends object>(value: Value): Value => {
  const entries: readonly (readonly [string, unknown])[] = Object.entries(value);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is null was optional.
  return Object.fromEntries(entries.filter(([, field]) => field !== null && field !== undefined)) as Value;
};

/**
 * Returns the storage form of a document piece; null when there is nothing to store. Tags are omitted, because the
 * trace's row stores them. Nulls are omitted, too, except in patches, where null clears a field.
 */
export const pieceToStore = (piece: TracePiece): StoredPiece | null => {
  switch (piece.kind) {
    case "trace":
    case "telemetry": {
      const { spans, ...priced } = withPriceTable(piece.trace.spans?.map(withoutNulls) ?? []);
      const trace = withoutNulls({ ...piece.trace, tags: undefined, spans: piece.trace.spans && spans });
      return { kind: piece.kind, trace, ...priced };
    }
    case "spans":
      return { kind: "spans", ...withPriceTable(piece.spans.map(withoutNulls)) };
    case "trace-patch": {
      const update = { ...piece.update, tags: undefined };
      const isEmpty = Object.values(update).every((field) => field === undefined);
      return isEmpty ? null : { kind: "trace-patch", update };
    }
    case "span-patch":
    case "prices":
      return piece;
    default:
      return piece satisfies never;
  }
};
