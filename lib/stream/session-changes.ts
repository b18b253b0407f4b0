import type { DynamoDBRecord } from "aws-lambda";
import { placeName, sessionName } from "../store/sessions/segment-keys.ts";
import type { SessionChange } from "../store/sessions/changed-segments.ts";
import { dayOfPartition } from "../store/traces/keys.ts";

type Image = NonNullable<DynamoDBRecord["dynamodb"]>["NewImage"];

/** The session of a row; null where there is none, and of one that has expired: no sum that is in use has it. */
const sessionOf = (image: Image, now: number): string | null => {
  const [session, ttl] = [image?.["s"]?.B, image?.["ttl"]?.N];
  if (image?.["d"]?.B === undefined || session === undefined) return null;
  return ttl !== undefined && Number(ttl) * 1000 <= now ? null : sessionName(Buffer.from(session, "base64"));
};

/**
 * What the records of the rows' stream say of sessions: a row that goes from one session to another has changed in both.
 *
 * @param now epoch milliseconds.
 */
export const sessionChanges = (records: readonly DynamoDBRecord[], now: number): readonly SessionChange[] =>
  records.flatMap(({ dynamodb }) => {
    const { pk, sk } = dynamodb?.Keys ?? {};
    if (pk?.B === undefined || sk?.B === undefined) return [];
    const images = [dynamodb?.OldImage, dynamodb?.NewImage];
    const names = new Set(images.map((image) => sessionOf(image, now)).filter((name) => name !== null));
    if (names.size === 0) return [];
    const { project } = dayOfPartition(Buffer.from(pk.B, "base64"));
    const place = placeName(Buffer.from(sk.B, "base64"));
    return [...names].map((name) => ({ project, name, place }));
  });
