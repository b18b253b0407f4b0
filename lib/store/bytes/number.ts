import type { ByteReader } from "./reader.ts";
import type { ByteWriter } from "./writer.ts";

/** A whole number of either sign as one of 0 or more, small ones as small ones. */
export const zigzag = (value: number): number => (value < 0 ? -value * 2 - 1 : value * 2);

export const unzigzag = (value: number): number => (value % 2 === 1 ? -(value + 1) / 2 : value / 2);

/** Writes a whole number of either sign, small ones in few bytes. */
export const writeSigned = (writer: ByteWriter, value: number): void => writer.whole(zigzag(value));

export const readSigned = (reader: ByteReader): number => unzigzag(reader.whole());

const largest = 2 ** 52;

/** Writes a number of 0 or more: as a whole number of `1 / scale` where that is exact, else as a double. */
export const writeAmount = (writer: ByteWriter, value: number, scale: number): void => {
  const scaled = Math.round(value * scale);
  if (scaled < largest && scaled / scale === value) {
    writer.whole(scaled + 1);
  } else {
    writer.whole(0);
    writer.double(value);
  }
};

export const readAmount = (reader: ByteReader, scale: number): number => {
  const scaled = reader.whole();
  return scaled === 0 ? reader.double() : (scaled - 1) / scale;
};
