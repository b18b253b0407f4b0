import type { DynamoDBRecord } from "aws-lambda";
import * as v from "valibot";
import { scoreStatuses } from "../domain/scores/score.ts";
import { countedValue, isCounted } from "../store/scores/counted-value.ts";
import { targetOfKey } from "../store/scores/keys.ts";
import type { NamedFact, ScoreChange } from "../store/scores/statistics.ts";

/** Of the scores' stream, the scores themselves: copies change with them. */
export const scoreFilters: readonly Record<string, unknown>[] = [{ dynamodb: { Keys: { sk: { S: ["score"] } } } }];

const text = v.object({ S: v.string() });
const image = v.object({
  n: text,
  st: v.object({ S: v.picklist(scoreStatuses) }),
  order_key: text,
  x: v.optional(text),
  t: v.optional(text),
  ttl: v.optional(v.object({ N: v.string() })),
});

/** What statistics take of a score. */
const factOf = ({ n, st, order_key, x, ttl }: v.InferOutput<typeof image>): NamedFact => ({
  name: n.S,
  status: st.S,
  value: countedValue(x?.S),
  inapplicable: !isCounted(x?.S),
  order: order_key.S,
  expiresAt: ttl === undefined ? undefined : Number(ttl.N),
});

/** What a record of the scores' stream says. @throws when it is of no score. */
export const scoreChange = ({ dynamodb }: DynamoDBRecord): ScoreChange => {
  const [pk, sequence] = [dynamodb?.Keys?.["pk"]?.S, dynamodb?.SequenceNumber];
  if (pk === undefined || sequence === undefined) throw new Error("The record is of no score.");
  const [before, after] = [dynamodb?.OldImage, dynamodb?.NewImage].map((each) =>
    each === undefined ? null : v.parse(image, each),
  );
  // What expired is removed without having been taken back: history stays.
  const expiry = Number(dynamodb?.OldImage?.["ttl"]?.N ?? Infinity);
  const expired = after === null && expiry <= (dynamodb?.ApproximateCreationDateTime ?? 0);
  return {
    project: pk.slice(0, pk.indexOf("#")),
    target: targetOfKey(pk),
    before: before == null || expired ? null : factOf(before),
    after: after == null ? null : factOf(after),
    session: (after ?? before)?.t?.S ?? null,
    sequence: BigInt(sequence),
  };
};
