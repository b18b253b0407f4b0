import type { JsonObject } from "../../json.ts";
import { truncate } from "../../text.ts";
import { foreignMetric, type ForeignMetric } from "./foreign-metric.ts";
import { plainPrompt } from "./plain-prompt.ts";

/** A level of the scale, converted from a choice. */
interface ImportedLevel {
  readonly label: string;
  readonly meaning: string;
  /** Score of the level, 0 to 1. */
  readonly value: number;
}

/** A metric of another tool, converted to a custom metric, with notes about parts that could not be converted. */
export interface ImportedMetric {
  /** Name in the form of a custom metric's name; null if the tool gives none. */
  readonly name: string | null;
  readonly description: string;
  readonly instructions: string;
  /** Levels of the scale; empty for the default scale of yes and no. */
  readonly scale: readonly ImportedLevel[];
  readonly notes: readonly string[];
}

/** Maximum number of levels, and maximum characters of labels, meanings, description and instructions. */
const [maxLevels, maxLabelLength, maxMeaningLength, maxDescriptionLength, maxInstructionsLength] = [
  7, 40, 500, 200, 8000,
] as const;

/** Converts a name to the form of a custom metric's name. */
const nameOf = (name: string | null): string | null => {
  const normalizedName = (name ?? "")
    .replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, "_")
    .toLowerCase()
    .replace(/[^a-z0-9]+/gu, "_")
    .replace(/^[^a-z]+|_+$/gu, "")
    .slice(0, 64);
  return normalizedName === "" ? null : normalizedName;
};

/** Maps scores to [0, 1]: unchanged if all lie there, else linearly from the lowest to the highest. */
const valuesOf = (scores: readonly number[]): readonly number[] => {
  const [low, high] = [Math.min(...scores), Math.max(...scores)];
  if (low >= 0 && high <= 1) return scores;
  return scores.map((score) => (high === low ? 1 : Math.round(((score - low) / (high - low)) * 10_000) / 10_000));
};

const invertIf = (value: number, isInverted: boolean): number =>
  isInverted ? Math.round((1 - value) * 10_000) / 10_000 : value;

type ScoredChoices = readonly { readonly label: string; readonly score: number }[];

/**
 * Returns the choices with their scores; without scores they fall evenly from 1 for the first choice to 0 for the
 * last.
 */
const withScores = (choices: NonNullable<ForeignMetric["choices"]>, notes: string[]): ScoredChoices => {
  const scoredChoices = choices.flatMap(({ label, score }) => (score === null ? [] : [{ label, score }]));
  if (scoredChoices.length === choices.length) return scoredChoices;
  notes.push(
    "The choices had no scores: the first one is 1, the last one 0. Adjust the values of the levels if that is wrong.",
  );
  return choices.map(({ label }, index) => ({ label, score: 1 - index / (choices.length - 1) }));
};

const scaleOf = (
  { choices, range, lessIsBetter }: ForeignMetric,
  meanings: ReadonlyMap<string, string>,
  notes: string[],
) => {
  if (choices === null) {
    const scoreForm =
      range === null
        ? "There were no choices"
        : `The score was a number from ${range[0]} to ${range[1]} without choices`;
    notes.push(
      `${scoreForm}: the scale is yes or no now, and yes is the better answer. Add levels or statements if that is too coarse.`,
    );
    if (lessIsBetter) notes.push("A low score was better: invert the question, since yes counts as 1.");
    return [];
  }
  const scoredChoices = withScores(choices, notes);
  const values = valuesOf(scoredChoices.map(({ score }) => score));
  if (scoredChoices.some(({ score }, index) => score !== values[index])) {
    notes.push("The scores were not between 0 and 1: the lowest is 0 and the highest 1 now.");
  }
  if (lessIsBetter) notes.push("A low score was better: the values were inverted, so that 1 is the best.");
  return scoredChoices.map(({ label }, index): ImportedLevel => {
    const meaning = meanings.get(label);
    if (meaning === undefined)
      notes.push(`The prompt does not say what "${truncate(label, maxLabelLength)}" means: fill in its meaning.`);
    return {
      label: truncate(label, maxLabelLength),
      meaning: truncate(meaning ?? `the answer to the instructions is "${label}"`, maxMeaningLength),
      value: invertIf(values[index] ?? 0, lessIsBetter),
    };
  });
};

/**
 * Converts a metric of another tool to a custom metric: choices become levels with the meanings that the prompt
 * gives, and placeholders become words for the parts of the record.
 *
 * @returns the metric, or a sentence that describes the error.
 */
export const importedMetric = (input: JsonObject): ImportedMetric | string => {
  const foreign = foreignMetric(input);
  if (foreign === null)
    return "The export has no prompt. A prompt is read from prompt, promptTemplate, template, messages, input, instructions, criteria, definition or value.";
  const { choices } = foreign;
  if (choices !== null && (choices.length < 2 || choices.length > maxLevels)) {
    return `The metric has ${choices.length} choices; a scale has two to ${maxLevels} levels.`;
  }
  const labels = (choices ?? []).map(({ label }) => truncate(label, maxLabelLength));
  if (new Set(labels).size < labels.length) {
    return `Two choices begin with the same ${maxLabelLength} characters, the maximum length of a label: shorten them.`;
  }
  const { text, meanings, notes } = plainPrompt(foreign.prompt, choices?.map(({ label }) => label) ?? []);
  const allNotes = [...notes];
  const scale = scaleOf(foreign, meanings, allNotes);
  const instructions = [text, ...foreign.scoreInstructions].join("\n\n").trim();
  if (instructions.length > maxInstructionsLength) {
    return `The prompt has ${instructions.length} characters without its data; at most ${maxInstructionsLength} are allowed.`;
  }
  if (foreign.ignoredKeys.length > 0)
    allNotes.push(`Ignored fields: ${truncate(foreign.ignoredKeys.join(", "), 300)}.`);
  const [first = ""] = (foreign.description ?? text).trim().split(/(?<=[.?!])\s|\n/u);
  const description = truncate(first.trim(), maxDescriptionLength);
  return {
    name: nameOf(foreign.name),
    description: description === "" ? "Imported from another tool." : description,
    instructions,
    scale,
    notes: allNotes,
  };
};
