import { instantFrom, type Instant } from "../../domain/instant.ts";
import type { ByteReader } from "./reader.ts";
import type { ByteWriter } from "./writer.ts";
import { unzigzag, zigzag } from "./number.ts";

/** Seconds from the year 1 to 1970, so that instants before 1970 sort correctly, too. */
const secondsFromYearOneTo1970 = 62_135_596_800;

/** Bytes of an encoded instant. */
export const instantLength = 8;

const secondsOf = (instant: Instant): number => Date.parse(`${instant.slice(0, 19)}Z`) / 1000;
const microsOf = (instant: Instant): number => (instant.length === 25 ? 0 : Number(instant.slice(20, 26)));

/** Encodes an instant as 8 bytes that sort like instants: 5 bytes of seconds, 3 of microseconds. */
export const instantBytes = (instant: Instant): Buffer => {
  const bytes = Buffer.alloc(instantLength);
  bytes.writeUIntBE(secondsOf(instant) + secondsFromYearOneTo1970, 0, 5);
  bytes.writeUIntBE(microsOf(instant), 5, 3);
  return bytes;
};

/** Decodes the instant in the first 8 bytes. */
export const instantOf = (bytes: Buffer): Instant =>
  instantFrom(bytes.readUIntBE(0, 5) - secondsFromYearOneTo1970, bytes.readUIntBE(5, 3));

const million = 1_000_000;

/** Distance in seconds up to which signed microseconds are exact integers: about 126 years. */
const maxExactSeconds = 4e9;

/**
 * Signed distance between two instants in microseconds, or the second instant itself if the distance is too large to
 * be exact.
 */
export type Distance = number | Instant;

/** Writes an instant relative to `base`: 0 for null, 1 and 8 bytes for a distant instant, else its distance. */
export const writeInstantFrom = (writer: ByteWriter, base: Instant, instant: Instant | null): void => {
  if (instant === null) {
    writer.whole(0);
    return;
  }
  const seconds = secondsOf(instant) - secondsOf(base);
  if (Math.abs(seconds) > maxExactSeconds) {
    writer.whole(1);
    writer.raw(instantBytes(instant));
  } else {
    writer.whole(2 + zigzag(seconds * million + microsOf(instant) - microsOf(base)));
  }
};

/** Reads an instant written by `writeInstantFrom`, as its distance; null if it was null. */
export const readDistance = (reader: ByteReader): Distance | null => {
  const tag = reader.whole();
  if (tag === 0) return null;
  return tag === 1 ? instantOf(reader.raw(instantLength)) : unzigzag(tag - 2);
};

/** Returns the instant at a distance from the base instant, which is in the first 8 bytes of `base`. */
export const instantAtDistance = (base: Buffer, distance: Distance | null): Instant | null => {
  if (typeof distance !== "number") return distance;
  const micros = base.readUIntBE(5, 3) + distance;
  const seconds = Math.floor(micros / million);
  return instantFrom(base.readUIntBE(0, 5) - secondsFromYearOneTo1970 + seconds, micros - seconds * million);
};

/** Returns the instant in the first 8 bytes as epoch milliseconds, rounded down. */
export const epochAt = (bytes: Buffer): number =>
  (bytes.readUIntBE(0, 5) - secondsFromYearOneTo1970) * 1000 + Math.floor(bytes.readUIntBE(5, 3) / 1000);
