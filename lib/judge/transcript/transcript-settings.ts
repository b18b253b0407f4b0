import { maxTranscriptLength } from "./transcript.ts";

/** Limits on the part of a trace that a judge is shown, set by the operator. */
export interface TranscriptSettings {
  /** Maximum characters of a transcript by `<provider>/<model>`; `default` for all other models. */
  readonly characters: Readonly<Record<string, number>>;
  /** Minimum share of a trace (0 to 1) that is shown or repeats shown text; with less no judge is called. */
  readonly leastCoverage: number;
  /** Maximum pictures of a trace by `<provider>/<model>`; 0 for all other models. */
  readonly pictures?: Readonly<Record<string, number>>;
}

/** Transcript limits without operator settings. */
export const defaultTranscripts: TranscriptSettings = { characters: {}, leastCoverage: 0.25 };

/** Returns the maximum characters of a model's transcripts. @param model `<provider>/<model>`. */
export const transcriptBudget = ({ characters }: TranscriptSettings, model: string): number =>
  characters[model] ?? characters["default"] ?? maxTranscriptLength;

/** Returns the maximum pictures sent to a model. @param model `<provider>/<model>`. */
export const maxPictures = ({ pictures }: TranscriptSettings, model: string): number => pictures?.[model] ?? 0;
