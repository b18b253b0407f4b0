import type { DynamoDBRecord } from "aws-lambda";
import * as v from "valibot";
import { scoreStatuses } from "../domain/scores/score.ts";
import { countedFact } from "../store/scores/codec.ts";
import { targetOfKey } from "../store/scores/keys.ts";
import type { NamedScoreFact, ScoreChange } from "../store/scores/statistics.ts";

/** Filters of the scores stream: only scores, not their copies, because a score and its copy change together. */
export const scoreFilters: readonly Record<string, unknown>[] = [{ dynamodb: { Keys: { sk: { S: ["score"] } } } }];

const text = v.object({ S: v.string() });
const image = v.object({
  n: text,
  st: v.object({ S: v.picklist(scoreStatuses) }),
  order_key: text,
  x: v.optional(text),
  cat: v.optional(text),
  t: v.optional(text),
  ttl: v.optional(v.object({ N: v.string() })),
});

/** Converts a score in a stream record to the fields that statistics count. */
const statisticsFactOf = ({ n, st, order_key, x, cat, ttl }: v.InferOutput<typeof image>): NamedScoreFact => ({
  name: n.S,
  status: st.S,
  ...countedFact({ x: x?.S, cat: cat?.S }),
  order: order_key.S,
  expiresAt: ttl === undefined ? undefined : Number(ttl.N),
});

/** Reads the score change in a stream record of the scores table. @throws Error if the record is not about a score. */
export const scoreChange = ({ dynamodb }: DynamoDBRecord): ScoreChange => {
  const [pk, sequence] = [dynamodb?.Keys?.["pk"]?.S, dynamodb?.SequenceNumber];
  if (pk === undefined || sequence === undefined) throw new Error("The record is not about a score.");
  const [before, after] = [dynamodb?.OldImage, dynamodb?.NewImage].map((each) =>
    each === undefined ? null : v.parse(image, each),
  );
  // An expired score stays in the statistics: expiry is not a removal by a user.
  const expiry = Number(dynamodb?.OldImage?.["ttl"]?.N ?? Infinity);
  const expired = after === null && expiry <= (dynamodb?.ApproximateCreationDateTime ?? 0);
  return {
    project: pk.slice(0, pk.indexOf("#")),
    target: targetOfKey(pk),
    before: before == null || expired ? null : statisticsFactOf(before),
    after: after == null ? null : statisticsFactOf(after),
    session: (after ?? before)?.t?.S ?? null,
    sequence: BigInt(sequence),
  };
};
