import type { Trace } from "../../domain/traces/trace.ts";
import { estimateTokens } from "../../judge/prices/text-tokens.ts";
import { maxPictureTokens } from "../../judge/spending/prompt-size.ts";
import { traceWithPictures } from "../../judge/transcript/binary.ts";
import { renderTranscript } from "../../judge/transcript/transcript.ts";

/** Limits of the part of a trace that is sent to a model. */
export interface RecordLimits {
  /** Max characters of a transcript for a model. */
  readonly budgetOf: (model: string) => number;
  /** Max pictures per prompt for a model. */
  readonly picturesOf: (model: string) => number;
}

/** Typical tokens of a picture, for estimates. Reservations use the max size instead, see `maxPictureTokens`. */
const pictureTokens = 1500;

/** Returns the size of a trace in a model's prompt: estimated tokens, characters, and max bytes. */
export const recordSize = ({ budgetOf, picturesOf }: RecordLimits, model: string, originalTrace: Trace) => {
  const { trace, pictures } = traceWithPictures(originalTrace, picturesOf(model));
  const { text } = renderTranscript(trace, budgetOf(model));
  return {
    tokens: estimateTokens(text) + pictures.length * pictureTokens,
    characters: text.length,
    bytes: Buffer.byteLength(text) + pictures.length * maxPictureTokens,
  };
};
