import { hourNumber, hourOf, hourText, type Hour } from "../../domain/analytics/bucket.ts";
import { totalCost, totalTokens, type Contribution } from "../../domain/traces/totals.ts";
import type { Instant } from "../../domain/instant.ts";
import type { ByteReader } from "../../dynamo/bytes/reader.ts";
import { byteWriter, type ByteWriter } from "../../dynamo/bytes/writer.ts";
import { readAmount, readSigned, writeAmount, writeSigned } from "../../dynamo/bytes/number.ts";
import { readText, writeText } from "../../dynamo/bytes/text.ts";

/**
 * Maximum bytes of contributions (tokens and cost by hour and model) in a row; larger contributions are replaced by
 * their totals.
 */
const maxBytes = 8 * 1024;

/** Fraction of a dollar in which costs are stored: a trillionth. A finer cost is stored as a double. */
const costScale = 1e12;

/** Tokens and cost of a trace's spans. */
export interface TraceUsage {
  /** Contributions by hour and model; null when they take too many bytes for a row. */
  readonly contributions: readonly Contribution[] | null;
  readonly totalTokens: number;
  readonly totalCost: number;
}

const writeContribution = (writer: ByteWriter, hour: number, sum: Contribution): void => {
  writeSigned(writer, hourNumber(sum.hour) - hour);
  writeText(writer, sum.model);
  writer.whole(sum.calls);
  writeAmount(writer, sum.promptTokens, 1);
  writeAmount(writer, sum.completionTokens, 1);
  writeAmount(writer, sum.cost, costScale);
};

/** Returns the hour at a distance in hours. Most spans start in the hour in which their trace starts. */
const hourAt = (hour: Hour, distance: number): Hour => (distance === 0 ? hour : hourText(hourNumber(hour) + distance));

const readContribution = (reader: ByteReader, hour: Hour): Contribution => ({
  hour: hourAt(hour, readSigned(reader)),
  model: readText(reader),
  calls: reader.whole(),
  promptTokens: readAmount(reader, 1),
  completionTokens: readAmount(reader, 1),
  cost: readAmount(reader, costScale),
});

/** Packs contributions (tokens and cost by hour and model); null when they exceed `maxBytes`. */
const pack = (contributions: readonly Contribution[], hour: number): Buffer | null => {
  const writer = byteWriter();
  for (const sum of contributions) writeContribution(writer, hour, sum);
  const bytes = writer.finish();
  return bytes.length > maxBytes ? null : bytes;
};

/** Writes a trace's usage: 1 + the number of contributions and the contributions, or 0 and the totals. */
export const writeUsage = (writer: ByteWriter, start: Instant, usage: TraceUsage): void => {
  const packed = usage.contributions === null ? null : pack(usage.contributions, hourNumber(hourOf(start)));
  if (usage.contributions === null || packed === null) {
    writer.whole(0);
    writeAmount(writer, usage.totalTokens, 1);
    writeAmount(writer, usage.totalCost, costScale);
    return;
  }
  writer.whole(1 + usage.contributions.length);
  writer.raw(packed);
};

/** Reads a trace's usage written by `writeUsage`. */
export const readUsage = (reader: ByteReader, start: Instant): TraceUsage => {
  const count = reader.whole();
  if (count === 0) {
    return { contributions: null, totalTokens: readAmount(reader, 1), totalCost: readAmount(reader, costScale) };
  }
  const hour = hourOf(start);
  const contributions = Array.from({ length: count - 1 }, () => readContribution(reader, hour));
  return { contributions, totalTokens: totalTokens(contributions), totalCost: totalCost(contributions) };
};
