import type { DynamoDBRecord } from "aws-lambda";
import { rowKeyName, sessionName } from "../store/sessions/segment-keys.ts";
import type { SessionChange } from "../store/sessions/changed-segments.ts";
import { dayOfPartition } from "../store/traces/keys.ts";

type Image = NonNullable<DynamoDBRecord["dynamodb"]>["NewImage"];

/** Returns the session of a trace row; null if it has none or has expired, because no sum in use contains expired rows. */
const sessionOf = (image: Image, now: number): string | null => {
  const [session, ttl] = [image?.["s"]?.B, image?.["ttl"]?.N];
  if (image?.["d"]?.B === undefined || session === undefined) return null;
  return ttl !== undefined && Number(ttl) * 1000 <= now ? null : sessionName(Buffer.from(session, "base64"));
};

/**
 * Reads the sessions with changed rows in stream records of the rows table. A row that moves between sessions changes both.
 *
 * @param now current time, epoch milliseconds.
 */
export const sessionChanges = (records: readonly DynamoDBRecord[], now: number): readonly SessionChange[] =>
  records.flatMap(({ dynamodb }) => {
    const { pk, sk } = dynamodb?.Keys ?? {};
    if (pk?.B === undefined || sk?.B === undefined) return [];
    const images = [dynamodb?.OldImage, dynamodb?.NewImage];
    const names = new Set(images.map((image) => sessionOf(image, now)).filter((name) => name !== null));
    if (names.size === 0) return [];
    const { project } = dayOfPartition(Buffer.from(pk.B, "base64"));
    const rowKey = rowKeyName(Buffer.from(sk.B, "base64"));
    return [...names].map((name) => ({ project, name, rowKey }));
  });
