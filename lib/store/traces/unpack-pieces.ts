import * as v from "valibot";
import { foldPieces, type TracePiece } from "../../domain/traces/piece.ts";
import type { PieceLocation } from "../../domain/traces/row.ts";
import type { Trace } from "../../domain/traces/trace.ts";
import { decodeText, unpackParts } from "../documents/body-codec.ts";
import { storedPiece } from "../documents/pieces.ts";
import { partSort } from "./keys.ts";

/** Decodes a document piece from its stored parts. */
export const pieceOf = async (parts: readonly Uint8Array[]): Promise<TracePiece> => {
  const text = await unpackParts(parts);
  if (text === null) throw new Error("A read without a size limit reported a document as too large.");
  return v.parse(storedPiece, decodeText(text));
};

/**
 * Unpacks the pieces of a document from its stored parts.
 *
 * @returns the JSON of each piece; null when a part is missing; "large" above `maxBytes` bytes of JSON.
 */
export const unpackPieces = async (
  pieces: readonly PieceLocation[],
  parts: ReadonlyMap<string, Uint8Array>,
  maxBytes: number,
): Promise<readonly Buffer[] | "large" | null> => {
  const texts: Buffer[] = [];
  let bytesLeft = maxBytes;
  for (const location of pieces) {
    const names = Array.from({ length: location.parts }, (_, part) => partSort(location.id, part));
    const bytes = names.flatMap((name) => parts.get(name) ?? []);
    if (bytes.length < location.parts) return null;
    const text = await unpackParts(bytes, bytesLeft);
    if (text === null) return "large";
    bytesLeft -= text.length;
    texts.push(text);
  }
  return texts;
};

/** Assembles a trace, without its tags, from the JSON of its pieces. */
export const traceOfPieces = (texts: readonly Buffer[]): Trace =>
  foldPieces(texts.map((text): TracePiece => v.parse(storedPiece, decodeText(text))));
