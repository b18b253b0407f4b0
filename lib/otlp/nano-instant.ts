import { instantAt, type Instant } from "../domain/instant.ts";

/** Nanoseconds since 1970 as an instant, to the microsecond; null for 0, which means not set, and for what is no number. */
export const instantOfNanos = (nanos: string | number | null | undefined): Instant | null => {
  if (nanos === undefined || nanos === null || !/^\d{1,20}$/.test(String(nanos))) return null;
  const whole = BigInt.asUintN(64, BigInt(nanos));
  if (whole === 0n) return null;
  const micros = String((whole / 1000n) % 1_000_000n).padStart(6, "0");
  const second = instantAt(Number(whole / 1_000_000_000n) * 1000);
  return micros === "000000" ? second : `${second.slice(0, 19)}.${micros}+00:00`;
};
