import type { Instant } from "../../domain/instant.ts";
import type { ByteReader } from "./reader.ts";
import type { ByteWriter } from "./writer.ts";
import { unzigzag, zigzag } from "./number.ts";

/** From the year 1 to 1970, in seconds: instants before 1970 must order too. */
const yearOne = 62_135_596_800;

const length = 8;

const secondsOf = (instant: Instant): number => Date.parse(`${instant.slice(0, 19)}Z`) / 1000;
const microsOf = (instant: Instant): number => (instant.length === 25 ? 0 : Number(instant.slice(20, 26)));

const secondsPerDay = 86_400;
const twoDigits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, "0"));

/** Rows are read by day: the text of one is made once for thousands of them. */
let lastDay = { number: 0, text: "1970-01-01" };

const dayText = (number: number): string => {
  if (lastDay.number !== number) {
    lastDay = { number, text: new Date(number * secondsPerDay * 1000).toISOString().slice(0, 10) };
  }
  return lastDay.text;
};

const instantFrom = (seconds: number, micros: number): Instant => {
  const day = Math.floor(seconds / secondsPerDay);
  const rest = seconds - day * secondsPerDay;
  const [hour, minute] = [Math.floor(rest / 3600), Math.floor(rest / 60) % 60];
  const text = `${dayText(day)}T${twoDigits[hour]}:${twoDigits[minute]}:${twoDigits[rest % 60]}`;
  return micros === 0 ? `${text}+00:00` : `${text}.${String(micros).padStart(6, "0")}+00:00`;
};

/** An instant as 8 bytes that order as the instants do: 5 of seconds, 3 of microseconds. */
export const instantBytes = (instant: Instant): Buffer => {
  const bytes = Buffer.alloc(length);
  bytes.writeUIntBE(secondsOf(instant) + yearOne, 0, 5);
  bytes.writeUIntBE(microsOf(instant), 5, 3);
  return bytes;
};

/** The instant of the first 8 bytes. */
export const instantOf = (bytes: Buffer): Instant =>
  instantFrom(bytes.readUIntBE(0, 5) - yearOne, bytes.readUIntBE(5, 3));

const million = 1_000_000;

/** Seconds apart up to which microseconds are counted exactly, their sign included: about 126 years. */
const farthest = 4e9;

/** From one instant to another: microseconds, or the other itself when it is too far for them to be exact. */
export type Distance = number | Instant;

/** Writes where an instant lies, seen from another: 0 for none, 1 and 8 bytes for a far one, else its distance. */
export const writeInstantFrom = (writer: ByteWriter, base: Instant, instant: Instant | null): void => {
  if (instant === null) {
    writer.whole(0);
    return;
  }
  const seconds = secondsOf(instant) - secondsOf(base);
  if (Math.abs(seconds) > farthest) {
    writer.whole(1);
    writer.raw(instantBytes(instant));
  } else {
    writer.whole(2 + zigzag(seconds * million + microsOf(instant) - microsOf(base)));
  }
};

export const readDistance = (reader: ByteReader): Distance | null => {
  const tag = reader.whole();
  if (tag === 0) return null;
  return tag === 1 ? instantOf(reader.raw(length)) : unzigzag(tag - 2);
};

/** The instant at a distance from the one of the first 8 bytes. */
export const instantAtDistance = (base: Buffer, distance: Distance | null): Instant | null => {
  if (typeof distance !== "number") return distance;
  const micros = base.readUIntBE(5, 3) + distance;
  const seconds = Math.floor(micros / million);
  return instantFrom(base.readUIntBE(0, 5) - yearOne + seconds, micros - seconds * million);
};

/** Epoch milliseconds of the instant of the first 8 bytes, fractions of a millisecond dropped. */
export const epochAt = (bytes: Buffer): number =>
  (bytes.readUIntBE(0, 5) - yearOne) * 1000 + Math.floor(bytes.readUIntBE(5, 3) / 1000);
