import type { DynamoDBRecord } from "aws-lambda";
import { unpackScore } from "../store/scores/codec.ts";
import { targetOfKey } from "../store/scores/keys.ts";
import type { ScoredPlace } from "../store/scores/newest.ts";

/** What a packed score is of; null where it cannot be read: its statistics are told beside it. */
const targetOf = (packed: string): string | null => {
  try {
    // The target's id lies at the same place in both kinds.
    return unpackScore(Buffer.from(packed, "base64")).trace_id;
  } catch {
    return null;
  }
};

const isSame = (change: DynamoDBRecord["dynamodb"]): boolean => {
  const [before, after] = [change?.OldImage?.["d"]?.B, change?.NewImage?.["d"]?.B];
  return before !== undefined && before === after;
};

/** Where a score has come, changed or gone, as a record of the scores' stream tells it; none of a score that cannot be read. */
export const scoredPlace = ({ dynamodb }: DynamoDBRecord): readonly ScoredPlace[] => {
  const image = dynamodb?.NewImage ?? dynamodb?.OldImage;
  // Moved from one list to another, the score is what it was.
  if (dynamodb?.OldImage?.["time_key"]?.S !== dynamodb?.NewImage?.["time_key"]?.S && isSame(dynamodb)) return [];
  const [pk, packed, name] = [dynamodb?.Keys?.["pk"]?.S, image?.["d"]?.B, image?.["n"]?.S];
  const order = image?.["order_key"]?.S;
  if (pk === undefined || packed === undefined || name === undefined || order === undefined) return [];
  const id = targetOf(packed);
  if (id === null) return [];
  const project = pk.slice(0, pk.indexOf("#"));
  return [{ project, target: targetOfKey(pk), id, incarnation: image?.["i"]?.S ?? null, name, order }];
};
