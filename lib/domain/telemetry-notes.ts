import { abbreviate, hasAtMost, shortened } from "./text.ts";

/** Notes about accepted telemetry of which something is left out, for the reply. */
export interface TelemetryNotes {
  /** Shortens the text of a field to its limit, and notes the field if that cuts the text. */
  readonly cut: (field: string, text: string, characters: number) => string;
  /** Adds a sentence. */
  readonly note: (sentence: string) => void;
  /** Returns the distinct notes as sentences: one for all fields of a limit, since a reply has room for few. */
  readonly sentences: () => readonly string[];
}

/** Maximum number of names, and of characters of one of them, in a sentence. */
const [maxNames, maxNameCharacters] = [5, 30];

/** Returns a sentence that names the fields of items which are not read; null if there are none. */
export const unreadNote = (place: string, items: readonly object[], readNames: readonly string[]): string | null => {
  const names = new Set(items.flatMap((item) => Object.keys(item).filter((name) => !readNames.includes(name))));
  if (names.size === 0) return null;
  const first = Array.from(names)
    .slice(0, maxNames)
    .map((name) => abbreviate(name, maxNameCharacters));
  const others = names.size > maxNames ? ` and ${names.size - maxNames} more` : "";
  return `Fields of ${place} that are not read: ${first.join(", ")}${others}.`;
};

/** Returns an empty collection of notes. @param nameOf returns the sender's name of a field. */
export const telemetryNotes = (nameOf = (field: string): string => field): TelemetryNotes => {
  const fields = new Map<number, Set<string>>();
  const others = new Set<string>();
  return {
    cut: (field, text, characters) => {
      if (hasAtMost(text, characters)) return text;
      fields.set(characters, (fields.get(characters) ?? new Set()).add(nameOf(field)));
      return shortened(text, characters);
    },
    note: (sentence) => void others.add(sentence),
    sentences: () => [
      ...Array.from(fields, ([characters, names]) => `Cut to ${characters} characters: ${[...names].join(", ")}.`),
      ...others,
    ],
  };
};
