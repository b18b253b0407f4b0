import * as v from "valibot";
import { isObject, type Json, type JsonObject } from "../../domain/json.ts";
import { judgeOfId } from "../../domain/scores/judge-identity.ts";
import { scoreSources, scoreStatuses, type Score, type SessionScore } from "../../domain/scores/score.ts";
import { packedSignals, packSignals } from "./signals/signals-codec.ts";

const orNull = v.nullable(v.string());

/** Whether a score applies, or the code that says why not. */
const applies = v.union([v.literal(true), v.string()]);

/** What a packed score has behind its fields by position: by name, each only where there is something to say. */
export const packedGrounds = v.object({
  /** The judge's id. */
  j: v.optional(v.string()),
  a: v.optional(applies),
  o: v.optional(
    v.looseTuple([
      orNull,
      orNull,
      v.picklist(scoreStatuses),
      v.picklist(scoreSources),
      v.nullable(v.boolean()),
      v.string(),
      v.nullish(v.string(), null),
      v.nullish(v.boolean(), null),
    ]),
  ),
  /** Citations: the span, and the quotation or where it stands in the metadata's `evidence`. */
  c: v.optional(v.array(v.looseTuple([orNull, v.nullable(v.union([v.string(), v.number()]))]))),
  /** How much of what was cited is not there. */
  x: v.optional(v.number()),
  /** Version of the trace, or of the session's traces. */
  v: v.optional(v.union([v.number(), v.string()])),
  /** The span that the score is about. */
  s: v.optional(v.string()),
  /** When the trace started as it was judged. */
  w: v.optional(v.string()),
  /** Signals of the session's traces. */
  g: v.optional(packedSignals),
});

type PackedGrounds = v.InferOutput<typeof packedGrounds>;

/** What a judge cites as its answer had it: it stands in the metadata until a person replaces them. */
const citedIn = ({ evidence }: JsonObject): readonly Json[] =>
  Array.isArray(evidence) ? evidence.map((each: Json) => (isObject(each) ? (each["text"] ?? null) : each)) : [];

const placeOf = (quote: string, cited: readonly Json[]): string | number => {
  const place = cited.indexOf(quote);
  return place === -1 ? quote : place;
};

const quoteAt = (place: string | number, cited: readonly Json[]): string | null => {
  const quote = typeof place === "string" ? place : cited[place];
  return typeof quote === "string" ? quote : null;
};

/** What only scores of traces, or of sessions, have. */
interface JudgedTarget {
  readonly version: number | string | null;
  readonly span?: string | null;
  readonly startedAt?: string | null;
  readonly signals?: SessionScore["signals"];
}

/** What a score rests on as it is packed beside its metadata; `target` is what only one kind of score has. */
export const packGrounds = (
  { judge, applicable, inapplicable_code, original, evidence, evidence_dropped, metadata, eval_run_id }: Score,
  target: JudgedTarget,
): PackedGrounds => ({
  j: judge?.id,
  a: applicable === null ? undefined : applicable || (inapplicable_code ?? ""),
  o:
    original === null
      ? undefined
      : [
          original.value,
          original.reason,
          original.status,
          original.source,
          original.applicable,
          original.at,
          original.judge,
          original.success,
        ],
  c: evidence?.map(({ span_id, quote }) => [span_id, quote === null ? null : placeOf(quote, citedIn(metadata))]),
  x: evidence_dropped ?? undefined,
  v: target.version ?? undefined,
  s: target.span ?? undefined,
  w: target.startedAt ?? undefined,
  g: target.signals == null ? undefined : packSignals(target.signals, eval_run_id),
});

/** Reads what a score rests on: nothing is known of one that a version before has packed. */
export const unpackGrounds = ({ j, a, o, c, x }: PackedGrounds = {}, metadata: JsonObject) => ({
  judge: j === undefined ? null : judgeOfId(j),
  applicable: a === undefined ? null : a === true,
  inapplicable_code: typeof a === "string" ? a : null,
  original:
    o === undefined
      ? null
      : {
          value: o[0],
          reason: o[1],
          status: o[2],
          source: o[3],
          applicable: o[4],
          judge: o[6],
          success: o[7],
          at: o[5],
        },
  evidence:
    c?.map(([span_id, place]) => ({ span_id, quote: place === null ? null : quoteAt(place, citedIn(metadata)) })) ??
    null,
  evidence_dropped: x ?? null,
});
