import { truncate } from "../../text.ts";

/** A prompt without the placeholders, data and format instructions of another tool. */
interface PlainPrompt {
  readonly text: string;
  /** Meaning of each choice in the prompt, by its label, as a clause. */
  readonly meanings: ReadonlyMap<string, string>;
  /** Sentences about parts that were removed or rephrased. */
  readonly notes: readonly string[];
}

/** Placeholders: `{{input}}`, `{{{input}}}`, `{input}`, `${input}`. */
const placeholder = /\{\{\{?\s*#?\/?([^{}]{1,60}?)\s*\}?\}\}|\$\{([^{}]{1,60})\}|\{([A-Za-z_][\w.]{0,40})\}/gu;

/** Words that replace a placeholder, by the last part of its name. */
const placeholderWords: readonly (readonly [RegExp, string])[] = [
  [/^(?:expected|ideal|reference|ground_?truth|expert|target|answer_key)/iu, "the expected answer"],
  [/^(?:output|completion|response|answer|generation|submission|prediction|result|output_text)/iu, "the output"],
  [/^(?:input|question|query|prompt|instruction|user_?input|task|criteria)/iu, "the input"],
  [/^(?:context|documents?|retriev|sources?|passages?|knowledge)/iu, "the retrieved documents"],
  [/^(?:conversation|messages|history|chat|transcript|trace)/iu, "the conversation"],
];

/** Matches a line that explains a choice: `(A) ...`, `A: ...`, `"Yes" - ...`, `- Yes: ...`. */
const choiceLine = (label: string): RegExp => {
  const escapedLabel = label.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`);
  return new RegExp(
    String.raw`^[ \t]*(?:[-*•]\s*)?[("'\x60\[]{0,2}${escapedLabel}[)"'\x60\]]{0,2}\s*(?:[:.=–—-]+|(?<=\))|\bif\b)\s*(\S.*)$`,
    "imu",
  );
};

/** True for a line that contains only a placeholder or a delimiter of data. */
const isDataLine = (line: string): boolean =>
  /^\s*(?:\[\/?(?:begin|end|question|submission|expert|criterion|context|data|task|answer|input|output)[^\]]*\]:?|[*=_~#-]{3,})\s*(?:\{\})?\s*$/iu.test(
    line,
  ) || /^\s*(?:[-*>]\s*)?(?:[[(]?[\w ]{1,30}[\])]?\s*:\s*)?\{\}\s*$/iu.test(line);

/**
 * True for a line that only prescribes the form of the answer. False for a line with a condition, which is a criterion.
 */
const isFormatLine = (line: string): boolean =>
  !/\b(?:when|if|unless|where)\b/iu.test(line) &&
  /^\s*(?:please\s+)?(?:answer|respond|reply|return|output|print|write)\b.{0,80}\b(?:only|single|one of|exactly|json|letter|choice|format)\b/iu.test(
    line,
  );

const clause = (text: string): string => text.trim().replace(/[.\s]+$/u, "");

/** Removes the words that introduce a list from the meaning of a choice. */
const withoutListLead = (text: string): string =>
  text
    .replace(/(?:^|(?<=[.?!])\s+)[^.?!]{0,20}:\s*$/u, "")
    .replace(/(?:,?\s+(?:even if|if|when|including\b[^.:]{0,40}|such as))?\s*:\s*$/iu, "");

/** Maximum nesting depth of empty tags to remove. */
const maxPartDepth = 4;

/** Removes tags that only contained data. */
const withoutEmptyParts = (text: string, depth = 1): string => {
  const reduced = text.replaceAll(/^[ \t]*<([A-Za-z][\w-]{0,40})>\s*<\/\1>[ \t]*$\n?/gmu, "");
  return reduced === text || depth === maxPartDepth ? reduced : withoutEmptyParts(reduced, depth + 1);
};

/**
 * Removes the placeholders, data and format instructions of another tool from a prompt.
 *
 * @param labels labels of the choices.
 */
export const plainPrompt = (prompt: string, labels: readonly string[]): PlainPrompt => {
  const notes: string[] = [];
  const meanings = new Map<string, string>();
  let lines = prompt.split(/\r?\n/u);
  for (const label of labels) {
    const pattern = choiceLine(label);
    const line = lines.find((each) => pattern.test(each));
    const [, meaning] = line === undefined ? [] : (pattern.exec(line) ?? []);
    if (line === undefined || meaning === undefined) continue;
    const leadsToList = meaning.trimEnd().endsWith(":");
    const meaningText = clause(leadsToList ? withoutListLead(meaning) : meaning);
    if (meaningText !== "") meanings.set(label, meaningText);
    // A line that introduces a list is kept, since the list would be meaningless without it.
    if (!leadsToList) lines = lines.filter((each) => each !== line);
  }
  const placeholderNames = new Set<string>();
  const withEmptyPlaceholders = (line: string): string => line.replaceAll(placeholder, "{}");
  const promptLines = lines.filter((line) => {
    for (const [, ...names] of line.matchAll(placeholder))
      placeholderNames.add((names.find((name) => name !== undefined) ?? "").trim());
    return !isDataLine(withEmptyPlaceholders(line));
  });
  const formats = promptLines.filter(isFormatLine);
  if (formats.length > 0)
    notes.push(`Removed, because the form of the answer is fixed: ${truncate(formats.map(clause).join(" / "), 300)}.`);
  const wordsFor = (name: string): string => {
    const last = name.split(".").at(-1) ?? name;
    return placeholderWords.find(([pattern]) => pattern.test(last))?.[1] ?? `the ${last.replaceAll(/[_-]+/gu, " ")}`;
  };
  const text = withoutEmptyParts(promptLines.filter((line) => !isFormatLine(line)).join("\n"))
    .replaceAll(placeholder, (_, ...names: readonly unknown[]) =>
      wordsFor(names.slice(0, 3).find((name) => typeof name === "string") ?? ""),
    )
    .replaceAll(/\n{3,}/gu, "\n\n")
    .trim();
  if (placeholderNames.size > 0) {
    notes.push(
      `The record is shown beside the instructions: ${[...placeholderNames].slice(0, 10).join(", ")} ${placeholderNames.size === 1 ? "is no placeholder any more" : "are no placeholders any more"}.`,
    );
  }
  const expectedAnswerNames = [...placeholderNames].filter((name) => wordsFor(name) === "the expected answer");
  if (expectedAnswerNames.length > 0) {
    notes.push(
      `${expectedAnswerNames.join(", ")}: a trace has no expected answer. Put it into the input or metadata of the traces, or rephrase the question without it.`,
    );
  }
  return { text, meanings, notes };
};
