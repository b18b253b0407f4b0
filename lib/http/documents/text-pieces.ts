import { Readable } from "node:stream";

/** Length of a piece in UTF-16 units; small pieces avoid a second copy of a large reply in memory. */
const size = 65_536;

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

const piecesOf = function* (text: string): Generator<Buffer> {
  for (let start = 0, end; start < text.length; start = end) {
    end = start + size;
    if (end < text.length && isHighSurrogate(text.charCodeAt(end - 1))) end -= 1;
    yield Buffer.from(text.slice(start, end));
  }
};

/** Returns a stream of the UTF-8 bytes of a text, split between characters. */
export const textPieces = (text: string): Readable => Readable.from(piecesOf(text));
