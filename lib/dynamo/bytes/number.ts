import type { ByteReader } from "./reader.ts";
import type { ByteWriter } from "./writer.ts";

/** Maps a signed integer to one of 0 or more, small absolute values to small numbers (zigzag encoding). */
export const zigzag = (value: number): number => (value < 0 ? -value * 2 - 1 : value * 2);

/** Reverses `zigzag`. */
export const unzigzag = (value: number): number => (value % 2 === 1 ? -(value + 1) / 2 : value / 2);

/** Writes a signed integer; small absolute values take few bytes. */
export const writeSigned = (writer: ByteWriter, value: number): void => writer.whole(zigzag(value));

/** Reads an integer written by `writeSigned`. */
export const readSigned = (reader: ByteReader): number => unzigzag(reader.whole());

const maxExactWhole = 2 ** 52;

/** Writes a number of 0 or more: as an integer multiple of `1 / scale` if that is exact, else as a double. */
export const writeAmount = (writer: ByteWriter, value: number, scale: number): void => {
  const scaled = Math.round(value * scale);
  if (scaled < maxExactWhole && scaled / scale === value) {
    writer.whole(scaled + 1);
  } else {
    writer.whole(0);
    writer.double(value);
  }
};

/** Reads a number written by `writeAmount` with the same `scale`. */
export const readAmount = (reader: ByteReader, scale: number): number => {
  const scaled = reader.whole();
  return scaled === 0 ? reader.double() : (scaled - 1) / scale;
};
