import type { Random } from "../../support/random.ts";
import { micros, timestampOf, type Micros } from "../instant.ts";

/** Instants at boundaries of hours, days, weeks and years, shared by many traces. */
const anchors = [
  "2026-10-05T00:00:00Z",
  "2026-10-04T23:59:59.999999Z",
  "2026-10-05T09:00:00Z",
  "2026-10-05T09:00:00Z",
  "2026-10-05T09:00:00.000001Z",
  "2026-10-05T09:59:59.999999Z",
  "2026-10-05T10:00:00Z",
  "2026-10-05T10:17:03.25Z",
  "2026-10-06T10:17:03.25Z",
  "2026-10-11T23:30:00Z",
  "2026-10-12T00:00:00Z",
  "2025-12-31T23:59:59.5Z",
  "2026-01-01T00:00:00Z",
  "2024-02-29T12:00:00Z",
  "1969-12-31T23:59:59.999999Z",
  "1987-06-05T04:03:02.000001Z",
] as const;

const rare = ["0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999999Z"] as const;

/** Durations in microseconds; negative ones end before they start. */
const durations = [
  0, 1, 250, 323, 677, 1_000, 250_000, 1_000_000, 2_500_000, 2_500_000, 61_000_000, 3_600_000_000, 90_000_000_000, -1,
  -1_000_000,
] as const;

const [first, last] = [micros(rare[0]), micros(rare[1])];

const clamped = (at: Micros): Micros => (at < first ? first : at > last ? last : at);

/** An instant at or near an anchor. */
export const someInstant = (random: Random): Micros => {
  if (random.chance(0.01)) return micros(random.pick(rare));
  const anchor = micros(random.pick(anchors));
  if (random.chance(0.3)) return anchor;
  const spread = random.pick([1, 1_000, 1_000_000, 3_600_000_000, 7_200_000_000]);
  return clamped(anchor + BigInt(random.between(-spread, spread)));
};

/** Range of a trace's start: from 2000 until before the clock of these tests. */
const [firstStart, lastStart] = [micros("2000-01-01T00:00:00Z"), micros("2026-11-21T00:00:00Z")];

/** An instant at or near an anchor, within the range of a trace's start. */
export const someStart = (random: Random): Micros => {
  const at = someInstant(random);
  return at < firstStart ? firstStart : at > lastStart ? lastStart : at;
};

/** An instant after another one, or before it. */
export const someEnd = (random: Random, start: Micros): Micros => clamped(start + BigInt(random.pick(durations)));

const zones: readonly [readonly [string, number], ...(readonly [string, number])[]] = [
  ["Z", 0],
  ["+00:00", 0],
  ["", 0],
  ["+05:30", 330],
  ["-0330", -210],
  ["+14", 840],
];

/** An instant in a random accepted timestamp format. */
export const timestampText = (random: Random, at: Micros): string => {
  const [zone, minutes] = random.chance(0.5) ? zones[0] : random.pick(zones);
  const local = at + BigInt(minutes) * 60_000_000n;
  if (local < first || local > last) return timestampOf(at);
  const text = timestampOf(local)
    .slice(0, -"+00:00".length)
    .replace(/\.0{6}$/, "");
  if (random.chance(0.5) && zone === "" && text.endsWith("T00:00:00")) return text.slice(0, 10);
  return `${random.chance(0.3) ? text.replace(/(T\d\d:\d\d):00$/, "$1") : text}${zone}`;
};
