import { valuesIn } from "./json.ts";

/** Bytes of JSON that a value counts at least: as objects in memory many small values take more than their text. */
const leastBytesOfValue = 8;

/** Returns the size of a JSON text in bytes of UTF-8, of which each value has at least eight. */
export const sizeOfJson = (text: string): number =>
  Math.max(Buffer.byteLength(text), leastBytesOfValue * valuesIn(text));
