import type { Trace } from "../../domain/traces/trace.ts";
import { likelyTokens } from "../../judge/prices/text-tokens.ts";
import { pictureBytes } from "../../judge/spending/call-cost.ts";
import { traceWithPictures } from "../../judge/transcript/binary.ts";
import { renderTranscript } from "../../judge/transcript/transcript.ts";

/** What of a trace models are shown. */
export interface RecordSettings {
  /** Characters of a model's transcripts at most. */
  readonly budgetOf: (model: string) => number;
  /** Pictures that a model is sent at most. */
  readonly picturesOf: (model: string) => number;
}

/** What a picture takes as a rule; what it may come to is set aside, see `pictureBytes`. */
const pictureTokens = 1500;

/** How much of a model's prompt a trace is: tokens as reckoned, characters, and bytes at most. */
export const recordSize = ({ budgetOf, picturesOf }: RecordSettings, model: string, given: Trace) => {
  const { trace, pictures } = traceWithPictures(given, picturesOf(model));
  const { text } = renderTranscript(trace, budgetOf(model));
  return {
    tokens: likelyTokens(text) + pictures.length * pictureTokens,
    characters: text.length,
    bytes: Buffer.byteLength(text) + pictures.length * pictureBytes,
  };
};
