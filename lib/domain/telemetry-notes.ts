import { hasAtMost, shortened } from "./text.ts";

/** Notes about accepted telemetry of which something is left out, for the reply. */
export interface TelemetryNotes {
  /** Shortens the text of a field to its limit, and notes the field if that cuts the text. */
  readonly cut: (field: string, text: string, characters: number) => string;
  /** Adds a sentence. */
  readonly note: (sentence: string) => void;
  /** Returns the distinct notes as sentences: one for all fields of a limit, since a reply has room for few. */
  readonly sentences: () => readonly string[];
}

/** Returns an empty collection of notes. */
export const telemetryNotes = (): TelemetryNotes => {
  const fields = new Map<number, Set<string>>();
  const others = new Set<string>();
  return {
    cut: (field, text, characters) => {
      if (hasAtMost(text, characters)) return text;
      fields.set(characters, (fields.get(characters) ?? new Set()).add(field));
      return shortened(text, characters);
    },
    note: (sentence) => void others.add(sentence),
    sentences: () => [
      ...Array.from(fields, ([characters, names]) => `Cut to ${characters} characters: ${[...names].join(", ")}.`),
      ...others,
    ],
  };
};
