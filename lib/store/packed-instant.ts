import type { Instant } from "../domain/trace.ts";

/** From the year 1 to 1970, in seconds: instants before 1970 must order too. */
const yearOne = 62_135_596_800;

const length = 8;

/** An instant as 8 bytes that order as the instants do: 5 of seconds, 3 of microseconds. */
export const instantBytes = (instant: Instant): Buffer => {
  const bytes = Buffer.alloc(length);
  const seconds = Date.parse(`${instant.slice(0, 19)}Z`) / 1000 + yearOne;
  bytes.writeUIntBE(seconds, 0, 5);
  bytes.writeUIntBE(instant.length === 25 ? 0 : Number(instant.slice(20, 26)), 5, 3);
  return bytes;
};

/** The instant of the first 8 bytes. */
export const instantOf = (bytes: Buffer): Instant => {
  const seconds = bytes.readUIntBE(0, 5) - yearOne;
  const micros = bytes.readUIntBE(5, 3);
  const text = new Date(seconds * 1000).toISOString().slice(0, 19);
  return micros === 0 ? `${text}+00:00` : `${text}.${String(micros).padStart(6, "0")}+00:00`;
};
