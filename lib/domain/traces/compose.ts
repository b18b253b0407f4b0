import type { IdentifiedTrace, PricedUpdate, TraceUpdate } from "./input.ts";
import type { TracePiece } from "./piece.ts";

/** A piece that is to be put together with others. */
export interface OpenPiece {
  readonly piece: TracePiece;
  /** Whether a piece of OpenTelemetry may be put together with others of which the same holds. */
  readonly joins: boolean;
}

const said = <Value extends object>(value: Value): Partial<Value> => {
  const entries: readonly (readonly [string, unknown])[] = Object.entries(value);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- some of its own fields.
  return Object.fromEntries(entries.filter(([, field]) => field !== undefined)) as Partial<Value>;
};

/** What null leaves as it is in a patch. */
const leftByNull = new Set(["name", "kind", "status", "metadata"]);

/** Two changes in one: what the second leaves the first decides. */
const bothUpdates = <Update extends TraceUpdate | PricedUpdate>(first: Update, second: Update): Update => {
  const entries = Object.entries(said(second)).filter(([key, value]) => value !== null || !leftByNull.has(key));
  const both = { ...first, ...Object.fromEntries(entries) };
  const metadata = { ...first.metadata, ...second.metadata };
  return Object.keys(metadata).length === 0 ? both : { ...both, metadata };
};

/** Two changes of a span in one: a model has the price that was told with it. */
const bothSpanUpdates = (first: PricedUpdate, second: PricedUpdate): PricedUpdate => {
  const { price: _, ...both } = bothUpdates(first, second);
  const price = second.model === undefined ? first.price : second.price;
  return price === undefined ? both : { ...both, price };
};

/** Two sendings in one: what the second does not say the first does. */
const bothSent = (first: IdentifiedTrace, second: IdentifiedTrace): IdentifiedTrace => {
  const told = Object.entries(second).filter(([, value]) => value !== null && value !== undefined);
  return {
    ...first,
    ...Object.fromEntries(told),
    trace_id: second.trace_id,
    name: second.name,
    started_at: second.started_at,
    metadata: { ...first.metadata, ...second.metadata },
    spans: [...(first.spans ?? []), ...(second.spans ?? [])],
  };
};

/** One piece that does what two do one after the other; null when there is none. */
const both = ({ piece: first, joins }: OpenPiece, next: OpenPiece): TracePiece | null => {
  const second = next.piece;
  if (first.kind === "spans" && second.kind === "spans") {
    return { kind: "spans", spans: [...first.spans, ...second.spans] };
  }
  if (first.kind === "trace" && second.kind === "trace") {
    return { kind: "trace", trace: bothSent(first.trace, second.trace) };
  }
  if (first.kind === "telemetry" && second.kind === "telemetry" && joins && next.joins) {
    return { kind: "telemetry", trace: bothSent(first.trace, second.trace) };
  }
  if (first.kind === "trace-patch" && second.kind === "trace-patch") {
    return { kind: "trace-patch", update: bothUpdates(first.update, second.update) };
  }
  if (first.kind === "span-patch" && second.kind === "span-patch" && first.spanId === second.spanId) {
    return { kind: "span-patch", spanId: first.spanId, update: bothSpanUpdates(first.update, second.update) };
  }
  if (first.kind === "prices" && second.kind === "prices") {
    return { kind: "prices", prices: [...new Map([...first.prices, ...second.prices])] };
  }
  return null;
};

/** Whether two pieces do the same in either order: one is about spans, the other about the trace's own fields. */
const areApart = (first: TracePiece, second: TracePiece): boolean => {
  const about = ({ kind }: TracePiece): "spans" | "fields" | "both" =>
    kind === "spans" || kind === "span-patch" || kind === "prices"
      ? "spans"
      : kind === "trace-patch"
        ? "fields"
        : "both";
  const [one, other] = [about(first), about(second)];
  return one !== other && one !== "both" && other !== "both";
};

/** As few pieces as do what these do, in their order, whatever trace they are done to. */
export const composed = (pieces: readonly OpenPiece[]): readonly OpenPiece[] => {
  const done: OpenPiece[] = [];
  const add = (next: OpenPiece): void => {
    for (let at = done.length - 1; at >= 0; at -= 1) {
      const before = done[at];
      if (before === undefined) break;
      const one = both(before, next);
      if (one !== null) {
        done[at] = { piece: one, joins: before.joins };
        return;
      }
      if (!areApart(before.piece, next.piece)) break;
    }
    done.push(next);
  };
  pieces.forEach(add);
  return done;
};
