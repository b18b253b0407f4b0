import { isObject, prefixed, presentEntries, stringOrEmpty, type Json, type JsonObject } from "../../json.ts";
import type { IdentifiedSpan } from "../input.ts";

/**
 * Metadata key of a span that a product sends in parts, each with some of its fields: the ranks of the fields other than 0. Of two parts
 * with a field that of the higher rank wins, of equal ranks the later one, so that the parts may arrive in any order and repeatedly.
 */
const ranksKey = "otel.ranks";

/** Metadata key of a span for attributes that judges do not see. A part of a span has only some of them. */
export const internalKey = "otel.attributes";

/** Metadata key of a span for the message of its status. */
const messageKey = "otel.status_message";

/** Ranks of the fields of a part of a span. */
export interface PartRanks {
  /** Rank of each field that `others` does not list. */
  readonly rank: number;
  /** Ranks of further fields; those of values that the part does not tell are negative. */
  readonly others: Readonly<Record<string, number>>;
}

/** True if a span is a part of one, or was merged from parts. */
export const isPartial = ({ metadata }: Pick<IdentifiedSpan, "metadata">): boolean =>
  Object.hasOwn(metadata ?? {}, ranksKey);

const [ofMetadata, ofInternal] = ["metadata.", "internal."];

const instants = new Set(["started_at", "ended_at"]);

/** Fields that all parts of a span have alike. */
const constants = new Set(["span_id", ...["span_id", "resource", "scope"].map((key) => `metadata.otel.${key}`)]);

/** Returns the fields of a span by name; metadata and internal attributes one by one. */
const fieldsOf = (span: IdentifiedSpan): ReadonlyMap<string, Json> => {
  const { metadata = {}, price: _, error: __, ...fields } = span;
  const { [internalKey]: internal, [ranksKey]: ___, ...others } = metadata;
  return new Map([
    ["parent_span_id", fields.parent_span_id ?? null],
    ...Object.entries({
      ...presentEntries<Json>(fields),
      ...prefixed(ofMetadata, others),
      ...prefixed(ofInternal, isObject(internal) ? internal : {}),
    }),
  ]);
};

const ranksOf = ({ metadata }: IdentifiedSpan): JsonObject => {
  const ranks = metadata?.[ranksKey];
  return isObject(ranks) ? ranks : {};
};

const rankIn = (ranks: JsonObject, field: string): number => {
  const rank = Object.hasOwn(ranks, field) ? ranks[field] : 0;
  return typeof rank === "number" ? rank : 0;
};

const under = (prefix: string, fields: ReadonlyMap<string, Json>): JsonObject =>
  Object.fromEntries(
    Array.from(fields).flatMap(([key, value]) => (key.startsWith(prefix) ? [[key.slice(prefix.length), value]] : [])),
  );

/** Returns a part of a span with the ranks of its fields. */
export const withRanks = (span: IdentifiedSpan, { rank, others }: PartRanks): IdentifiedSpan => {
  const ranks = Array.from(fieldsOf(span).keys(), (field) => [field, others[field] ?? rank] as const);
  const nonZero = ranks.filter(([field, each]) => each !== 0 && !constants.has(field));
  return { ...span, metadata: { ...span.metadata, [ranksKey]: Object.fromEntries(nonZero) } };
};

/** Fields of the parts of a span that have been merged, with their ranks other than 0. */
interface MergedFields {
  readonly fields: Map<string, Json>;
  readonly ranks: Map<string, number>;
  /** Those of the fields that may follow from another one. */
  readonly followers: Set<string>;
}

const isEarlier = (one: Json, other: Json | undefined): boolean =>
  typeof one === "string" && typeof other === "string" && one < other;

/** Fields from which others of the same part may follow. */
const leads = ["input", "output"] as const;

/** True for a field that may follow from a part's input or output: what these have beside the messages, as sent, and as settings. */
const mayFollow = (field: string, lead: (typeof leads)[number]): boolean =>
  (field.startsWith(ofInternal) && field.endsWith(`.${lead}`)) || (field === "model_parameters" && lead === "input");

/** Returns the fields of one side that follow from its input or output; they have its rank. */
const followersOf = (lead: (typeof leads)[number], fields: Iterable<string>, rankOf: (field: string) => number) =>
  [...fields].filter((field) => mayFollow(field, lead) && rankOf(field) === rankOf(lead));

const addPart = ({ fields, ranks, followers }: MergedFields, part: IdentifiedSpan): void => {
  const [ranksOfPart, fieldsOfPart] = [ranksOf(part), new Map(fieldsOf(part))];
  const [rankOfPart, rankOf] = [
    (field: string) => rankIn(ranksOfPart, field),
    (field: string) => ranks.get(field) ?? 0,
  ];
  for (const lead of leads) {
    if (!fieldsOfPart.has(lead) || !fields.has(lead)) continue;
    const isReplaced = rankOfPart(lead) >= rankOf(lead);
    if (!isReplaced) for (const field of followersOf(lead, fieldsOfPart.keys(), rankOfPart)) fieldsOfPart.delete(field);
    else
      for (const field of followersOf(lead, followers, rankOf)) {
        fields.delete(field);
        followers.delete(field);
        ranks.delete(field);
      }
  }
  for (const [field, value] of fieldsOfPart) {
    const [rank, rankBefore] = [rankOfPart(field), rankOf(field)];
    if (fields.has(field)) {
      if (rank < rankBefore) continue;
      // Of two instants that no part tells the earlier one is nearer to the truth.
      if (rank < 0 && rank === rankBefore && instants.has(field) && !isEarlier(value, fields.get(field))) continue;
    }
    fields.set(field, value);
    if (leads.some((lead) => mayFollow(field, lead))) followers.add(field);
    if (rank === 0) ranks.delete(field);
    else ranks.set(field, rank);
  }
};

/** Merges the parts of a span, in order. The error follows from status and message, which different parts may have. */
export const mergeParts = (parts: readonly [IdentifiedSpan, ...IdentifiedSpan[]]): IdentifiedSpan => {
  const [fields, ranks, followers] = [new Map<string, Json>(), new Map<string, number>(), new Set<string>()];
  for (const part of parts) addPart({ fields, ranks, followers }, part);
  const internal = under(ofInternal, fields);
  const metadata: JsonObject = {
    ...under(ofMetadata, fields),
    ...(Object.keys(internal).length > 0 && { [internalKey]: internal }),
    [ranksKey]: Object.fromEntries([...ranks].toSorted(([a], [b]) => (a < b ? -1 : 1))),
  };
  const hasFailed = fields.get("status") === "ERROR";
  const { model_parameters: _, ...first } = parts[0];
  return {
    ...first,
    ...Object.fromEntries([...fields].filter(([field]) => !field.includes("."))),
    metadata,
    error: hasFailed ? stringOrEmpty(metadata[messageKey]) || "The span failed." : null,
  };
};
