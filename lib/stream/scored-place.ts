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

/**
 * Where a score has come, changed or gone, as a record of the scores' stream tells it, or was moved from a list of a version
 * before, whose newest scores nobody has noted; none of a score that cannot be read.
 */
export const scoredPlace = ({ dynamodb }: DynamoDBRecord): readonly ScoredPlace[] => {
  const image = dynamodb?.NewImage ?? dynamodb?.OldImage;
  const [pk, packed, name] = [dynamodb?.Keys?.["pk"]?.S, image?.["d"]?.B, image?.["n"]?.S];
  const order = image?.["order_key"]?.S;
  if (pk === undefined || packed === undefined || name === undefined || order === undefined) return [];
  const id = targetOf(packed);
  if (id === null) return [];
  const project = pk.slice(0, pk.indexOf("#"));
  return [{ project, target: targetOfKey(pk), id, incarnation: image?.["i"]?.S ?? null, name, order }];
};
