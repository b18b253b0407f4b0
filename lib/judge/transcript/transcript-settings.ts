import { longestTranscript } from "./transcript.ts";

/** How much of a trace a judge is shown, as the operator sets it. */
export interface TranscriptSettings {
  /** Characters of a transcript at most, by `<provider>/<model>`; `default` for all others. */
  readonly characters: Readonly<Record<string, number>>;
  /** The share of a trace that has to be shown, or to repeat what is, for a verdict to be asked for; 0 to 1. */
  readonly leastCoverage: number;
  /** Pictures of a trace that a model is sent at most, by `<provider>/<model>`; the others are sent none. */
  readonly pictures?: Readonly<Record<string, number>>;
}

/** What holds where nothing is set. */
export const defaultTranscripts: TranscriptSettings = { characters: {}, leastCoverage: 0.25 };

/** Characters of a model's transcripts. @param model `<provider>/<model>`. */
export const transcriptBudget = ({ characters }: TranscriptSettings, model: string): number =>
  characters[model] ?? characters["default"] ?? longestTranscript;

/** Pictures that a model is sent at most. @param model `<provider>/<model>`. */
export const picturesOf = ({ pictures }: TranscriptSettings, model: string): number => pictures?.[model] ?? 0;
