import { clauseOf, truncate } from "../../text.ts";

/** A prompt without the placeholders, data and format instructions of another tool. */
interface PlainPrompt {
  readonly text: string;
  /** Meaning of each choice in the prompt, by its label, as a clause. */
  readonly meanings: ReadonlyMap<string, string>;
  /** Sentences about parts that were removed or rephrased. */
  readonly notes: readonly string[];
}

/** Placeholders: `{{input}}`, `{{{input}}}`, `{input}`, `${input}`. The length is bounded, so that matching is linear. */
const placeholder = /\{\{\{?([^{}]{1,80})\}\}\}?|\$\{([^{}]{1,60})\}|\{([A-Za-z_][\w.]{0,40})\}/gu;

/** Returns the name in a placeholder, without the sign of a section. */
const placeholderName = (names: readonly unknown[]): string => {
  const name = names.slice(0, 3).find((each) => typeof each === "string");
  return typeof name === "string" ? name.trim().replace(/^[#/^&]\s?/u, "") : "";
};

/** Words that replace a placeholder, by the last part of its name. */
const placeholderWords: readonly (readonly [RegExp, string])[] = [
  [/^(?:expect|ideal|reference|ground_?truth|expert|target|answer_key)/iu, "the expected answer"],
  [
    /^(?:actual_?)?(?:output|completion|response|answer|generation|submission|prediction|result|output_text)/iu,
    "the output",
  ],
  [/^(?:input|question|query|prompt|instruction|user_?input|task)/iu, "the input"],
  [/^(?:criteri|rubric|guideline)/iu, "the criteria"],
  [/^(?:context|documents?|retriev|sources?|passages?|knowledge)/iu, "the retrieved documents"],
  [/^(?:conversation|messages|history|chat|transcript|trace)/iu, "the conversation"],
  [/^(?:available_?)?tools?(?:_|$)/iu, "the tools"],
];

const lastPart = (name: string): string => name.split(".").at(-1) ?? name;

/** Returns the words for a placeholder; null for a name that no part of a trace has. */
const knownWords = (name: string): string | null =>
  placeholderWords.find(([pattern]) => pattern.test(lastPart(name)))?.[1] ?? null;

const wordsFor = (name: string): string => knownWords(name) ?? `the ${lastPart(name).replaceAll(/[_-]+/gu, " ")}`;

/** Maximum characters of a line that can explain a choice, and of one that can be data or prescribe a form. */
const [maxChoiceLine, maxShortLine] = [2000, 300] as const;

/** Matches a trimmed line that explains a choice: `(A) ...`, `A: ...`, `"Yes" - ...`, `- Yes: ...`, `Score 1: ...`. */
const choiceLine = (label: string): RegExp => {
  const escapedLabel = label.replaceAll(/[.*+?^${}()|[\]\\]/gu, String.raw`\$&`);
  return new RegExp(
    String.raw`^(?:[-*•]\s{0,3})?(?:(?:score|rating|grade|level)(?:\s{1,3}of)?\s{1,3})?[("'\x60\[]{0,2}${escapedLabel}[)"'\x60\]]{0,2}\s{0,3}(?:[:.=–—-]{1,3}|(?<=\))|\bif\b)\s{0,3}(\S.*)$`,
    "iu",
  );
};

/** True for a line that contains only a placeholder (`{}`) or a delimiter of data. */
const isDataLine = (line: string): boolean => {
  const text = line.trim();
  if (text.length > maxShortLine) return false;
  return (
    /^(?:\[\/?(?:begin|end|question|submission|expert|criterion|context|data|task|answer|input|output)[^\]]*\]:?|[*=_~#-]{3,})\s{0,9}(?:\{\})?$/iu.test(
      text,
    ) || /^(?:[-*>]\s{0,9})?(?:[[(]?\w[\w ]{0,29}[\])]?\s{0,9}:\s{0,9})?\{\}$/iu.test(text)
  );
};

/**
 * True for a line that only prescribes the form of the answer. False for a line with a condition, which is a criterion.
 */
const isFormatLine = (line: string): boolean => {
  const text = truncate(line.trim(), maxShortLine);
  return (
    !/\b(?:when|if|unless|where)\b/iu.test(line) &&
    /^(?:please\s{1,9})?(?:answer|respond|reply|return|output|print|write)\b.{0,80}\b(?:only|single|one of|exactly|json|letter|choice|format)\b/iu.test(
      text,
    )
  );
};

/** Maximum characters of a meaning before it is shortened. */
const maxMeaning = 600;

/** Removes the words that introduce a list from the meaning of a choice. */
const withoutListLead = (text: string): string =>
  text
    .replace(/(?:^|(?<=[.?!])\s{1,9})[^.?!]{0,20}:\s{0,9}$/u, "")
    .replace(/(?:,?\s{1,9}(?:even if|if|when|including\b[^.:]{0,40}|such as))?\s{0,9}:\s{0,9}$/iu, "");

/** Maximum nesting depth of empty tags to remove. */
const maxPartDepth = 4;

/** Removes tags that only contained data. */
const withoutEmptyParts = (text: string, depth = 1): string => {
  const reduced = text.replaceAll(/^[ \t]{0,40}<([A-Za-z][\w-]{0,40})>\s{0,40}<\/\1>[ \t]{0,40}$\n?/gmu, "");
  return reduced === text || depth === maxPartDepth ? reduced : withoutEmptyParts(reduced, depth + 1);
};

const emptyPlaceholders = (line: string): string => line.replaceAll(placeholder, "{}");

/** Finds the line that explains a choice, and its explanation; null if no line does, or if it only holds data. */
const explanationOf = (lines: readonly string[], label: string) => {
  const pattern = choiceLine(label);
  for (const line of lines) {
    if (line.length > maxChoiceLine) continue;
    const [, meaning] = pattern.exec(line.trim()) ?? [];
    if (meaning !== undefined && emptyPlaceholders(meaning).trim() !== "{}") return { line, meaning };
  }
  return null;
};

/** Pairs of patterns for two outputs that a prompt compares. */
const outputNoun =
  "(?:response|answer|summary|output|completion|assistant|submission|translation|reply|candidate|model)";
const outputPairs = [
  [`\\bfirst ${outputNoun}\\b`, String.raw`\bsecond\b`],
  [`\\b${outputNoun} 1\\b`, `\\b${outputNoun} 2\\b`],
  [`\\b${outputNoun} A\\b`, `\\b${outputNoun} B\\b`],
].map((pair) => pair.map((pattern) => new RegExp(pattern, "iu")));

/** True if the choices stand for texts that the prompt shows, as in `A: {{output}}`, or if it compares two outputs. */
export const comparesOutputs = (prompt: string, labels: readonly string[]): boolean => {
  const lines = prompt.split("\n").map((line) => emptyPlaceholders(truncate(line.trim(), maxShortLine)));
  const standsForText = (label: string): boolean => {
    const pattern = choiceLine(label);
    return lines.some((line) => pattern.exec(line)?.[1]?.trim() === "{}");
  };
  if (labels.filter(standsForText).length > 1) return true;
  return (
    /\b(?:better|prefer|preferred|compare|comparing|which|winner)\b/iu.test(prompt) &&
    outputPairs.some((pair) => pair.every((pattern) => pattern.test(prompt)))
  );
};

/** Puts each score that is explained within a line, as in `... - Score 1: ...`, on a line of its own. */
export const withScoreLines = (prompt: string): string =>
  prompt.replaceAll(/-[ \t]{0,3}(?=(?:score|rating|grade|level)[ \t]\d)/giu, "\n- ");

/** Returns the numbers of lines that explain scores, as in `Score 1: ...`; null without two to seven of them. */
export const numberedLabels = (prompt: string, isNumeric: boolean): readonly string[] | null => {
  const labels = prompt.split("\n").flatMap((line) => {
    const [, word, number] =
      /^(?:[-*•]\s{0,3})?(?:(score|rating|grade|level)(?:\s{1,3}of)?\s{1,3})?(\d{1,3}(?:\.\d{1,3})?)\s{0,3}(?::|=|[–—-](?!\s{0,3}\d))\s{0,3}\S/iu.exec(
        line.trim(),
      ) ?? [];
    return number === undefined || (word === undefined && !isNumeric) ? [] : [number];
  });
  const distinct = [...new Set(labels)];
  return distinct.length > 1 && distinct.length <= 7 ? distinct : null;
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
    const { line, meaning = "" } = explanationOf(lines, label) ?? {};
    if (line === undefined) continue;
    const leadsToList = meaning.endsWith(":");
    const shortMeaning = truncate(meaning, maxMeaning);
    const meaningText = clauseOf(leadsToList ? withoutListLead(shortMeaning) : shortMeaning);
    if (meaningText !== "") meanings.set(label, replacedPlaceholders(meaningText));
    // A line that introduces a list is kept, since the list would be meaningless without it.
    if (!leadsToList) lines = lines.filter((each) => each !== line);
  }
  const placeholderNames = new Set([...prompt.matchAll(placeholder)].map(([, ...names]) => placeholderName(names)));
  const promptLines = lines.filter((line) => !isDataLine(emptyPlaceholders(line)));
  const formats = promptLines.filter(isFormatLine);
  if (formats.length > 0)
    notes.push(
      `Removed, because the form of the answer is fixed: ${truncate(formats.map(clauseOf).join(" / "), 300)}.`,
    );
  const text = replacedPlaceholders(withoutEmptyParts(promptLines.filter((line) => !isFormatLine(line)).join("\n")))
    .replaceAll(/\n{3,}/gu, "\n\n")
    .trim();
  return { text, meanings, notes: [...notes, ...placeholderNotes([...placeholderNames], text)] };
};

/** Replaces placeholders by words for the parts of a trace. */
export const replacedPlaceholders = (text: string): string =>
  text.replaceAll(placeholder, (_, ...names: readonly unknown[]) => wordsFor(placeholderName(names)));

/** Note about a judge that is shown an expected answer. */
export const expectationNote =
  "The judge is shown the expected output of the dataset's item that a trace names; the metric is not applicable to other traces.";

/** Note about a prompt that speaks of an expected answer and shows none. */
const mentionNote =
  "The prompt speaks of an expected answer: with `expected_output` in `evidence` the judge is shown that of the dataset's item.";

const placeholderNotes = (names: readonly string[], text: string): readonly string[] => {
  const shown = (list: readonly string[]): string => truncate(list.slice(0, 10).join(", "), 300);
  const expectedNames = names.filter((name) => wordsFor(name) === "the expected answer");
  const unknownNames = names.filter((name) => knownWords(name) === null);
  const hasExpectation = /\b(?:expected (?:output|answer|response)|ground truth|reference answer)\b/iu.test(text);
  return [
    ...(names.length === 0
      ? []
      : [
          `The record is shown beside the instructions: ${shown(names)} ${names.length === 1 ? "is no placeholder any more" : "are no placeholders any more"}.`,
        ]),
    ...(expectedNames.length > 0 ? [expectationNote] : hasExpectation ? [mentionNote] : []),
    ...(unknownNames.length > 0
      ? [`${shown(unknownNames)}: no part of a trace has this name. Write what it stands for into the instructions.`]
      : []),
  ];
};
