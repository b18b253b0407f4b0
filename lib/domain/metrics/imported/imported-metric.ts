import { conditionsOf } from "../../checks/check.ts";
import { readCheck } from "../../checks/read-check.ts";
import type { JsonObject } from "../../json.ts";
import { hasAtMost, truncate } from "../../text.ts";
import type { EvidenceKind } from "../custom/definition.ts";
import type { YesNo } from "../rubric.ts";
import { areCategories, maxLabelLength, roundedScore, withScores, type ScoredChoice } from "./choice-order.ts";
import { ImportError } from "./fields.ts";
import type { ForeignChoice } from "./foreign-choices.ts";
import { foreignMetric, type Criterion, type ForeignMetric } from "./foreign-metric.ts";
import { comparesOutputs, expectationNote, numberedLabels, plainPrompt, withScoreLines } from "./plain-prompt.ts";
import { isHighestWorse, prefersLowScores, statedScores } from "./stated-scores.ts";

/** A level of the scale, converted from a choice. */
interface ImportedLevel {
  readonly label: string;
  readonly meaning: string;
  /** Score of the level, 0 to 1. */
  readonly value?: number;
}

interface ImportedStatement {
  readonly name: string;
  readonly text: string;
  readonly expected: YesNo;
}

/** A metric of another tool, converted to a custom metric, with notes about parts that could not be converted. */
export interface ImportedMetric {
  /** Name in the form of a custom metric's name; null if the tool gives none. */
  readonly name: string | null;
  readonly kind: "judge" | "check";
  readonly description: string;
  readonly instructions: string;
  /** Absent for an order. */
  readonly scale_type?: "nominal";
  /** Levels of the scale; empty for the default scale of yes and no. */
  readonly scale: readonly ImportedLevel[];
  /** Statements about criteria; empty for a metric with a prompt. */
  readonly statements: readonly ImportedStatement[];
  /** Rule of a metric that needs some of its criteria; absent if it needs all. */
  readonly rule?: readonly { readonly level: "yes"; readonly answers: Record<string, YesNo>; readonly least: number }[];
  readonly check?: JsonObject;
  /** Absent for the whole transcript alone. */
  readonly evidence?: readonly EvidenceKind[];
  /** Minimum score of a success; absent for the default. */
  readonly threshold?: number;
  readonly notes: readonly string[];
}

/** Maximum number of levels, and maximum characters of meanings, description and instructions. */
const [maxLevels, maxMeaningLength, maxDescriptionLength, maxInstructionsLength] = [7, 500, 200, 8000] as const;

/** Maximum number of statements, and maximum characters of a statement. */
const [maxStatements, maxStatementLength] = [10, 500] as const;

/** Maximum characters of an export as JSON, before anything is searched in it. */
const maxExportLength = 100_000;

/** Maximum characters of a prompt, before anything is searched in it. */
const maxPromptLength = 40_000;

/** Converts a name to the form of a custom metric's name. */
const nameOf = (name: string | null): string | null => {
  const normalizedName = truncate(name ?? "", 200)
    .replace(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, "_")
    .toLowerCase()
    .replace(/[^a-z0-9]+/gu, "_")
    .replace(/^[^a-z]+|(?<!_)_+$/gu, "")
    .slice(0, 64);
  return normalizedName === "" ? null : normalizedName;
};

/** Maps scores of the other tool to [0, 1], so that 1 is the best. */
interface ScoreMap {
  readonly isScaled: boolean;
  /** True if a low score was better. */
  readonly isReversed: boolean;
  readonly value: (score: number) => number;
}

/** Maps a score to [0, 1]: unchanged if the range and all scores lie there, else linearly from the lowest to the highest. */
const scoreMap = ({ output: { range } }: ForeignMetric, scores: readonly number[], isReversed: boolean): ScoreMap => {
  const [low, high] = range ?? [Math.min(...scores), Math.max(...scores)];
  const isScaled = range === null ? scores.some((score) => score < 0 || score > 1) : low !== 0 || high !== 1;
  return {
    isScaled,
    isReversed,
    value: (score) => {
      const scaledScore = !isScaled ? score : high === low ? 1 : roundedScore((score - low) / (high - low));
      return isReversed ? roundedScore(1 - scaledScore) : scaledScore;
    },
  };
};

/** Matches labels that give no level: the judge answers `cannot_tell` where a record does not decide. */
const undecidedLabel = /^(?:n\/?a|not[ _-]applicable|unknown|unsure|cannot[ _-]tell|no[ _-]match)$/iu;

/** Removes choices without a score that no level stands for. */
const decidedChoices = (choices: readonly ForeignChoice[], notes: string[]): readonly ForeignChoice[] => {
  const undecided = choices.filter(({ label, score }) => score === null && undecidedLabel.test(label));
  for (const { label } of undecided)
    notes.push(`"${label}" is no level: where the record does not decide, the judge answers cannot_tell.`);
  return choices.filter((choice) => !undecided.includes(choice));
};

const checkChoices = (choices: readonly ForeignChoice[]): void => {
  if (choices.length < 2 || choices.length > maxLevels)
    throw new ImportError(`The metric has ${choices.length} choices; a scale has two to ${maxLevels} levels.`);
  const labels = choices.map(({ label }) => truncate(label, maxLabelLength));
  if (new Set(labels).size < labels.length) {
    throw new ImportError(
      `Two choices begin with the same ${maxLabelLength} characters, the maximum length of a label: shorten them.`,
    );
  }
};

const levelsOf = (
  choices: readonly ScoredChoice[],
  { value }: ScoreMap,
  meanings: ReadonlyMap<string, string>,
  notes: string[],
): readonly ImportedLevel[] =>
  choices.map(({ label, score, meaning: ownMeaning }): ImportedLevel => {
    const meaning = ownMeaning ?? meanings.get(label);
    if (meaning === undefined)
      notes.push(`The prompt does not say what "${truncate(label, maxLabelLength)}" means: fill in its meaning.`);
    return {
      label: truncate(label, maxLabelLength),
      meaning: truncate(meaning ?? `the answer to the instructions is "${label}"`, maxMeaningLength),
      value: value(score),
    };
  });

/** Returns a criterion as a question: as it is if it is one. */
const questionOf = (text: string): string =>
  text.endsWith("?") && !text.includes("\n") ? text : `Does the record meet this criterion: ${text}`;

const statementOf = (text: string, index: number, isReversed: boolean): ImportedStatement => ({
  name: `criterion_${index + 1}`,
  text,
  expected: isReversed ? "no" : "yes",
});

type Parts = Pick<ImportedMetric, "instructions" | "scale" | "statements" | "rule">;

/** Converts criteria to statements, and a rule if not all of them have to be met. */
const criteriaParts = (criteria: readonly Criterion[], least: number, notes: string[]): Parts => {
  const statements = criteria.map(({ text, isReversed }, index) => {
    const plain = plainPrompt(text, []);
    notes.push(...plain.notes);
    return statementOf(questionOf(plain.text), index, isReversed);
  });
  if (statements.length > maxStatements)
    throw new ImportError(`The metric has ${statements.length} criteria; at most ${maxStatements} are allowed.`);
  if (statements.some(({ text }) => !hasAtMost(text, maxStatementLength)))
    throw new ImportError(`A criterion has more than ${maxStatementLength} characters: shorten it.`);
  const answers = Object.fromEntries(statements.map(({ name, expected }) => [name, expected]));
  return {
    instructions: "",
    scale: [],
    statements,
    ...(least < statements.length && { rule: [{ level: "yes" as const, answers, least }] }),
  };
};

/** Converts a prompt without choices: a question whose better answer is yes, or no if a low score was better. */
const questionParts = (
  { output: { range, isNumeric } }: ForeignMetric,
  text: string,
  isReversed: boolean,
  notes: string[],
) => {
  const bounds = range === null ? "" : ` from ${range[0]} to ${range[1]}`;
  const scoreForm = isNumeric ? `The score was a number${bounds} without choices` : "There were no choices";
  notes.push(
    `${scoreForm}: the scale is yes or no now, and ${isReversed ? "no" : "yes"} is the better answer. Add levels or statements if that is too coarse.`,
  );
  if (!isReversed) return { instructions: text, scale: [], statements: [] };
  const question = questionOf(text);
  return hasAtMost(question, maxStatementLength)
    ? { instructions: "", scale: [], statements: [statementOf(question, 0, true)] }
    : { instructions: text, scale: [], statements: [statementOf("Is what the instructions describe so?", 0, true)] };
};

/** Converts the threshold of the other tool; null if its score lies outside of the scale. */
const thresholdOf = ({ threshold }: ForeignMetric, map: ScoreMap, notes: string[]): number | null => {
  if (threshold === null) return null;
  const value = map.value(threshold);
  if (value >= 0 && value <= 1) {
    if (map.isScaled || map.isReversed) notes.push(`The threshold ${threshold} is ${value} now.`);
    return value;
  }
  notes.push(`The threshold ${threshold} lies outside of the scores: 0.5 is the threshold now.`);
  return null;
};

/** Returns the scores that a prompt explains in its sentences as choices, so that their direction is kept; null without any. */
const statedChoices = (prompt: string, notes: string[]): readonly ForeignChoice[] | null => {
  const scores = statedScores(prompt);
  if (scores === null) return null;
  notes.push("The prompt says what its scores mean: they are the levels now. Swap their values if the best is not 1.");
  return Array.from(scores, ([label, meaning]) => ({ label, score: Number(label), meaning }));
};

const judgeParts = (foreign: ForeignMetric, notes: string[]) => {
  const { prompt, criteria, least, output } = foreign;
  const [criterion, ...furtherCriteria] = criteria;
  if (furtherCriteria.length > 0)
    return { ...criteriaParts(criteria, least, notes), map: scoreMap(foreign, [], foreign.isReversed === true) };
  const sentPrompt = criterion?.text ?? prompt;
  const fullPrompt = output.choices === null ? withScoreLines(sentPrompt) : sentPrompt;
  if (fullPrompt.length > maxPromptLength)
    throw new ImportError(
      `The prompt has ${fullPrompt.length} characters with its data; at most ${maxInstructionsLength} are allowed without it.`,
    );
  const listedChoices = output.choices === null ? null : decidedChoices(output.choices, notes);
  if (listedChoices !== null) checkChoices(listedChoices);
  const lineChoices =
    listedChoices ??
    numberedLabels(fullPrompt, output.isNumeric)?.map((label) => ({ label, score: Number(label), meaning: null })) ??
    null;
  const sentenceChoices = lineChoices === null ? statedChoices(fullPrompt, notes) : null;
  const choices = lineChoices ?? sentenceChoices;
  const labels = lineChoices?.map(({ label }) => label) ?? [];
  if (comparesOutputs(fullPrompt, labels))
    throw new ImportError("The metric compares two outputs, and a trace has one: rephrase it as a question about one.");
  const plain = plainPrompt(fullPrompt, labels);
  notes.push(...plain.notes);
  if (!hasAtMost(plain.text, maxInstructionsLength))
    throw new ImportError(
      `The prompt has ${plain.text.length} characters without its data; at most ${maxInstructionsLength} are allowed.`,
    );
  const isLowBetter = foreign.isReversed ?? prefersLowScores(fullPrompt);
  if (choices === null) {
    const isReversed = isLowBetter === true;
    return { ...questionParts(foreign, plain.text, isReversed, notes), map: scoreMap(foreign, [], isReversed) };
  }
  if (areCategories(choices)) {
    notes.push("The choices have neither scores nor an order: they are categories now, and are counted.");
    const map = scoreMap(foreign, [], false);
    const levels = levelsOf(
      choices.map(({ label, meaning }) => ({ label, meaning, score: 0 })),
      map,
      plain.meanings,
      notes,
    );
    const scale = levels.map(({ label, meaning }) => ({ label, meaning }));
    return { instructions: plain.text, scale_type: "nominal" as const, scale, statements: [], map };
  }
  const meaningOf = ({ label, meaning }: ForeignChoice) => meaning ?? plain.meanings.get(label) ?? null;
  // The numbers of a prompt mean what it says; scores in a field of their own mean what the tool says.
  const isWorse = (): boolean =>
    listedChoices === null &&
    isHighestWorse(choices.map((choice) => ({ score: choice.score ?? 0, meaning: meaningOf(choice) })));
  const { choices: scoredChoices, isReversed } = withScores(choices, isLowBetter ?? isWorse(), notes);
  const map = scoreMap(
    foreign,
    scoredChoices.map(({ score }) => score),
    isReversed,
  );
  if (map.isScaled) notes.push("The scores were not between 0 and 1: the lowest is 0 and the highest 1 now.");
  if (isReversed) notes.push("A low score was better: the values were inverted, so that 1 is the best.");
  return { instructions: plain.text, scale: levelsOf(scoredChoices, map, plain.meanings, notes), statements: [], map };
};

/** @throws ImportError for a check that is invalid here. */
const checkParts = ({ check, type }: ForeignMetric) => {
  const { flaws } = readCheck(check ?? {});
  const [flaw] = flaws ?? [];
  if (flaw !== undefined) throw new ImportError(`"${type ?? "check"}" cannot be imported: ${flaw.msg}`);
  return { instructions: "", scale: [], statements: [], check: check ?? {} };
};

/** @throws ImportError for a check that compares with several fields of an item. */
const comparisonNotes = ({ check, itemFields }: ForeignMetric): readonly string[] => {
  const [field, other] = new Set(itemFields);
  if (other !== undefined)
    throw new ImportError(
      `it compares with several fields of an item (${field}, ${other}), which has one expected output: import its conditions one by one`,
    );
  const conditions = conditionsOf(readCheck(check ?? {}).check ?? { all: [] });
  return [
    ...(field === undefined ? [] : [`"${field}" is the expected output of the dataset's item now.`]),
    ...(conditions.some(({ type }) => type === "similarity_at_least")
      ? ["The similarity is another one: 1 less the edits by the characters of the longer text. Try its threshold."]
      : []),
  ];
};

const firstSentence = (text: string): string =>
  text
    .trim()
    .split(/(?<=[.?!])\s|\n/u)[0]
    ?.trim() ?? "";

const convert = (input: JsonObject): ImportedMetric => {
  const length = JSON.stringify(input).length;
  if (length > maxExportLength)
    throw new ImportError(
      `The export has ${length} characters; at most ${maxExportLength} are read, and a prompt has at most ${maxInstructionsLength} without its data.`,
    );
  const foreign = foreignMetric(input);
  const { check, description: ownDescription, ignoredPaths } = foreign;
  const notes: string[] = [];
  const parts =
    check === null
      ? judgeParts(foreign, notes)
      : {
          ...checkParts(foreign),
          map: { isScaled: false, isReversed: foreign.isReversed === true, value: (score: number) => score },
        };
  const { map, ...definition } = parts;
  const threshold = thresholdOf(foreign, map, notes);
  if (foreign.output.note !== null) notes.push(foreign.output.note);
  if (foreign.showsExpectation) notes.push(expectationNote);
  notes.push(...comparisonNotes(foreign));
  if (ignoredPaths.length > 0) notes.push(`Ignored fields: ${truncate(ignoredPaths.join(", "), 4000)}.`);
  const source =
    ownDescription ??
    (check === null
      ? definition.instructions || (definition.statements[0]?.text ?? "")
      : `Checks ${foreign.type === null ? "a condition" : `"${foreign.type}"`} of another tool.`);
  const description = truncate(firstSentence(source), maxDescriptionLength);
  return {
    name: nameOf(foreign.name),
    kind: check === null ? "judge" : "check",
    description: description === "" ? "Imported from another tool." : description,
    ...definition,
    ...(notes.includes(expectationNote) && { evidence: ["transcript", "expected_output"] as const }),
    ...(threshold !== null && { threshold }),
    notes: [...new Set(notes)],
  };
};

/**
 * Converts a metric of another tool to a custom metric: deterministic metrics become checks, choices become levels with
 * the meanings that the export gives, and placeholders become words for the parts of the record.
 *
 * @returns the metric, or a sentence that describes the error.
 */
export const importedMetric = (input: JsonObject): ImportedMetric | string => {
  try {
    return convert(input);
  } catch (error) {
    if (error instanceof ImportError) return error.about("The metric").message;
    throw error;
  }
};
