import { instantAt, type Instant } from "../../domain/instant.ts";

/** Converts nanoseconds since 1970 to an instant of microsecond precision; null for 0 (which means unset) and for invalid numbers. */
export const instantOfNanos = (nanos: string | number | null | undefined): Instant | null => {
  if (nanos === undefined || nanos === null || !/^\d{1,20}$/.test(String(nanos))) return null;
  const nanoseconds = BigInt.asUintN(64, BigInt(nanos));
  if (nanoseconds === 0n) return null;
  const micros = String((nanoseconds / 1000n) % 1_000_000n).padStart(6, "0");
  const second = instantAt(Number(nanoseconds / 1_000_000_000n) * 1000);
  return micros === "000000" ? second : `${second.slice(0, 19)}.${micros}+00:00`;
};
