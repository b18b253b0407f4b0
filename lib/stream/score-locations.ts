import type { DynamoDBRecord } from "aws-lambda";
import { scoreStatuses } from "../domain/scores/score.ts";
import { unpackScore } from "../store/scores/codec.ts";
import { targetOfKey } from "../store/scores/keys.ts";
import type { ScoreLocation } from "../store/scores/newest/newest-of-names.ts";

/** Returns the id of the trace or session of a packed score; null if the score is unreadable. */
const targetOf = (packed: string): string | null => {
  try {
    // The target id has the same position in scores of traces and of sessions.
    return unpackScore(Buffer.from(packed, "base64")).trace_id;
  } catch {
    return null;
  }
};

/**
 * Returns the target, name, sort key and status of the score in a stream record, if the newest score of that name must be
 * recomputed: the score was added, changed or removed. Empty if the score is unreadable.
 */
export const scoreLocations = ({ dynamodb }: DynamoDBRecord): readonly ScoreLocation[] => {
  const image = dynamodb?.NewImage ?? dynamodb?.OldImage;
  const [pk, packed, name] = [dynamodb?.Keys?.["pk"]?.S, image?.["d"]?.B, image?.["n"]?.S];
  const order = image?.["order_key"]?.S;
  if (pk === undefined || packed === undefined || name === undefined || order === undefined) return [];
  const id = targetOf(packed);
  if (id === null) return [];
  const project = pk.slice(0, pk.indexOf("#"));
  const status = scoreStatuses.find((each) => each === dynamodb?.NewImage?.["st"]?.S) ?? null;
  return [{ project, target: targetOfKey(pk), id, incarnation: image?.["i"]?.S ?? null, name, order, status }];
};
