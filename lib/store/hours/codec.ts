import { hourNumber, hourText, type Hour } from "../../domain/analytics/bucket.ts";
import type { Latencies } from "../../domain/analytics/latencies.ts";
import type { ModelUsage } from "../../domain/analytics/model-usage.ts";
import type { TraceFigures } from "../../domain/analytics/trace-figures.ts";
import { ByteReader } from "../../dynamo/bytes/reader.ts";
import { byteWriter, type ByteWriter } from "../../dynamo/bytes/writer.ts";
import { readAmount, readSigned, writeAmount, writeSigned } from "../../dynamo/bytes/number.ts";
import { readText, writeText } from "../../dynamo/bytes/text.ts";

/**
 * First byte of a packed item: the format of its content. Items with figures (counts and latencies) have either of two
 * formats of latencies.
 */
const forms = { values: 1, sketch: 2, usage: 3 } as const;

const costScale = 1e12;

const writeLatencies = (writer: ByteWriter, latencies: Latencies): void => {
  let previous = 0;
  if (latencies.kind === "values") {
    writer.whole(latencies.values.length);
    for (const value of latencies.values) {
      writer.whole(value - previous);
      previous = value;
    }
    return;
  }
  writer.whole(latencies.sketch.length);
  for (const [bin, count] of latencies.sketch) {
    writeSigned(writer, bin - previous);
    writer.whole(count);
    previous = bin;
  }
};

const readValues = (reader: ByteReader): Latencies => {
  let value = 0;
  return { kind: "values", values: Array.from({ length: reader.whole() }, () => (value += reader.whole())) };
};

const readSketch = (reader: ByteReader): Latencies => {
  let bin = 0;
  const next = (): readonly [number, number] => [(bin += readSigned(reader)), reader.whole()];
  return { kind: "sketch", sketch: Array.from({ length: reader.whole() }, next) };
};

/** Packs the figures of an hour's traces. A latency takes 2 or 3 bytes. */
export const packFigures = ({ traces, errors, latencySum, latencies }: TraceFigures): Buffer => {
  const writer = byteWriter();
  writer.byte(forms[latencies.kind]);
  for (const number of [traces, errors]) writer.whole(number);
  writeAmount(writer, latencySum, 1);
  writeLatencies(writer, latencies);
  return writer.finish();
};

/** @throws Error when the bytes have another format than that of `packFigures`. */
export const unpackFigures = (bytes: Uint8Array): TraceFigures => {
  const reader = new ByteReader(bytes);
  const form = reader.byte();
  if (form !== forms.values && form !== forms.sketch)
    throw new Error("The packed figures of an hour have an unknown format.");
  const [traces, errors] = [reader.whole(), reader.whole()];
  const latencySum = readAmount(reader, 1);
  return { traces, errors, latencySum, latencies: form === forms.values ? readValues(reader) : readSketch(reader) };
};

/** Model usage by hour of the spans. */
export type HourlyUsage = readonly (readonly [Hour, readonly ModelUsage[]])[];

/** Packs model usage by hour. */
export const packModelUsage = (usage: HourlyUsage): Buffer => {
  const writer = byteWriter();
  writer.byte(forms.usage);
  writer.whole(usage.length);
  for (const [hour, models] of usage) {
    writeSigned(writer, hourNumber(hour));
    writer.whole(models.length);
    for (const { model, calls, promptTokens, completionTokens, cost } of models) {
      writeText(writer, model);
      writer.whole(calls);
      writeAmount(writer, promptTokens, 1);
      writeAmount(writer, completionTokens, 1);
      writeAmount(writer, cost, costScale);
    }
  }
  return writer.finish();
};

/** @throws Error when the bytes have another format than that of `packModelUsage`. */
export const unpackModelUsage = (bytes: Uint8Array): HourlyUsage => {
  const reader = new ByteReader(bytes);
  if (reader.byte() !== forms.usage) throw new Error("The packed usage of an hour has an unknown format.");
  const readModel = (): ModelUsage => ({
    model: readText(reader),
    calls: reader.whole(),
    promptTokens: readAmount(reader, 1),
    completionTokens: readAmount(reader, 1),
    cost: readAmount(reader, costScale),
  });
  return Array.from({ length: reader.whole() }, () => {
    const hour = hourText(readSigned(reader));
    return [hour, Array.from({ length: reader.whole() }, readModel)] as const;
  });
};
