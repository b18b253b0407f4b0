import * as v from "valibot";
import { isObject, type Json, type JsonObject } from "../../domain/json.ts";
import { judgeOfId } from "../../domain/scores/score.ts";
import { scoreSources, scoreStatuses, type Score, type SessionScore } from "../../domain/scores/score.ts";
import { packedSignals, packSignals } from "./signals/signals-codec.ts";

const orNull = v.nullable(v.string());

/** Schema of applicability: true, or the code of the reason why a score is not applicable. */
const applies = v.union([v.literal(true), v.string()]);

/**
 * Optional fields at the end of a packed score: judge, applicability, original verdict, evidence, judged version and
 * signals.
 */
export const packedGrounds = v.object({
  /** Judge id. */
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
      orNull,
      v.nullable(v.boolean()),
      v.nullish(v.custom<JsonObject>((value) => typeof value === "object" && value !== null)),
    ]),
  ),
  /** Citations: span id, and the quotation or its index in the metadata's `evidence`. */
  c: v.optional(v.array(v.looseTuple([orNull, v.nullable(v.union([v.string(), v.number()]))]))),
  /** Number of citations that were dropped because their text does not exist in the trace. */
  x: v.optional(v.number()),
  /** Version of the judged trace, or of the judged session's traces. */
  v: v.optional(v.union([v.number(), v.string()])),
  /** Version of the judged trace's content. */
  cv: v.optional(v.number()),
  /** Id that another product's client gave the score. */
  e: v.optional(v.string()),
  /** Id of the span that the score is about. */
  s: v.optional(v.string()),
  /** Start of the trace when it was judged. */
  w: v.optional(v.string()),
  /** Number of the partition in which the trace's row lies, if it is not its day's first. */
  p: v.optional(v.number()),
  /** Signals: trace scores that the session's score was computed from. */
  g: v.optional(packedSignals),
});

type PackedGrounds = v.InferOutput<typeof packedGrounds>;

/** Returns the citations as the judge returned them; they stay in the metadata until a person replaces the metadata. */
const citationsIn = ({ evidence }: JsonObject): readonly Json[] =>
  Array.isArray(evidence) ? evidence.map((each: Json) => (isObject(each) ? (each["text"] ?? null) : each)) : [];

const packQuote = (quote: string, citations: readonly Json[]): string | number => {
  const index = citations.indexOf(quote);
  return index === -1 ? quote : index;
};

const unpackQuote = (place: string | number, citations: readonly Json[]): string | null => {
  const quote = typeof place === "string" ? place : citations[place];
  return typeof quote === "string" ? quote : null;
};

/** Fields that only scores of traces or only scores of sessions have. */
interface JudgedTarget {
  readonly version: number | string | null;
  readonly contentVersion?: number | null;
  readonly span?: string | null;
  readonly startedAt?: string | null;
  readonly partition?: number;
  readonly signals?: SessionScore["signals"];
}

/**
 * Packs the grounds of a score: judge, applicability, original verdict, evidence and target version. `target` has the
 * fields of only one kind of score.
 */
export const packGrounds = (
  {
    judge,
    applicable,
    inapplicable_code,
    original,
    evidence,
    evidence_dropped,
    metadata,
    eval_run_id,
    external_id,
  }: Score,
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
          original.metadata,
        ],
  c: evidence?.map(({ span_id, quote }) => [span_id, quote === null ? null : packQuote(quote, citationsIn(metadata))]),
  x: evidence_dropped ?? undefined,
  v: target.version ?? undefined,
  cv: target.contentVersion ?? undefined,
  e: external_id ?? undefined,
  s: target.span ?? undefined,
  w: target.startedAt ?? undefined,
  p: target.partition === 0 ? undefined : target.partition,
  g: target.signals == null ? undefined : packSignals(target.signals, eval_run_id),
});

/** Unpacks the grounds of a score. */
export const unpackGrounds = ({ j, a, o, c, x, e }: PackedGrounds, metadata: JsonObject) => ({
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
          metadata: o[8] ?? null,
          at: o[5],
        },
  evidence:
    c?.map(([span_id, place]) => ({
      span_id,
      quote: place === null ? null : unpackQuote(place, citationsIn(metadata)),
    })) ?? null,
  evidence_dropped: x ?? null,
  external_id: e ?? null,
});
