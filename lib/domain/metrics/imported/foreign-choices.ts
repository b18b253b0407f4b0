import { isObject, type Json } from "../../json.ts";
import { flagOf, ImportError, numberOf, nonBlankText, type ExportedFields } from "./fields.ts";

/** A possible answer of a metric. */
export interface ForeignChoice {
  readonly label: string;
  /** Score of the answer in the other tool; null if it has none. */
  readonly score: number | null;
  /** Meaning of the answer, from a field other than the prompt; null if there is none. */
  readonly meaning: string | null;
}

/** Answers and numbers that a metric may give. */
export interface ForeignOutput {
  /** Possible answers; null if the tool asks for a number or lists none. */
  readonly choices: readonly ForeignChoice[] | null;
  /** Range of a numeric score; null if there is none. */
  readonly range: readonly [number, number] | null;
  /** True if the answer is a number. */
  readonly isNumeric: boolean;
  /** Descriptions of the score. */
  readonly instructions: readonly string[];
  /** Sentence about a conversion of the scores; null if there is none. */
  readonly note: string | null;
}

const outputKeys = ["outputDefinition", "outputSchema", "output_schema", "output_definition"] as const;
const choiceKeys = [
  "choice_scores",
  "choiceScores",
  "choices_scores",
  "choices",
  "rails",
  "allowed_values",
  "labels",
  "choice_strings",
  "categories",
  "options",
  "enum",
] as const;

/** Reads the score of a choice, alone or with a meaning: `1`, `[1, "meaning"]`, `{ "score": 1, "description": "meaning" }`. */
const scoredChoice = (label: string, value: Json): ForeignChoice => {
  const [score, meaning]: readonly (Json | undefined)[] = Array.isArray(value)
    ? value
    : isObject(value)
      ? [value["score"] ?? value["value"], value["description"] ?? value["meaning"]]
      : [value];
  return { label, score: numberOf(score), meaning: nonBlankText(meaning) };
};

const scoresByLabel = (value: Json): readonly ForeignChoice[] | null => {
  if (!isObject(value)) return null;
  const choices = Object.entries(value).map(([label, score]) => scoredChoice(label, score));
  return choices.length > 0 && choices.every(({ score }) => score !== null) ? choices : null;
};

const itemChoice = (item: Json): ForeignChoice | null => {
  if (!isObject(item)) {
    const label = nonBlankText(item) ?? (flagOf(item) ?? numberOf(item))?.toString() ?? null;
    return label === null ? null : { label, score: typeof item === "string" ? null : numberOf(item), meaning: null };
  }
  const { label, name, value, score } = item;
  const text = nonBlankText(label ?? name ?? value);
  return text === null ? null : { ...scoredChoice(text, item), score: numberOf(score ?? value) };
};

/** Reads a list of choices, the texts of an object, or letters as in `ABC`. */
const listedChoices = (value: Json): readonly ForeignChoice[] | null => {
  const listedItems = (): readonly Json[] => {
    if (typeof value === "string") return /^[A-Z]{2,7}$/u.test(value) ? Array.from(value) : [];
    return isObject(value) ? Object.values(value).map(nonBlankText) : Array.isArray(value) ? value : [];
  };
  const items = listedItems();
  const choices = items.flatMap((item) => itemChoice(item) ?? []);
  return choices.length > 0 && choices.length === items.length ? choices : null;
};

const rangeOf = (value: Json): readonly [number, number] | null => {
  const bounds = Array.isArray(value) ? value : isObject(value) ? [value["min"], value["max"]] : [];
  const [low, high] = [numberOf(bounds[0]), numberOf(bounds[1])];
  return bounds.length === 2 && low !== null && high !== null && low < high ? [low, high] : null;
};

/** Reads levels from descriptions by score, as in `{ "score1_description": "..." }`. */
const describedLevels = (value: Json): readonly ForeignChoice[] | null => {
  if (!isObject(value)) return null;
  const levels = Object.entries(value).flatMap(([key, text]) => {
    const [, score] = /^(?:score_?)?(\d{1,3})(?:_description)?$/u.exec(key) ?? [];
    const meaning = nonBlankText(text);
    return score === undefined || meaning === null ? [] : [{ label: score, score: Number(score), meaning }];
  });
  return levels.length > 1 && levels.length === Object.keys(value).length ? levels : null;
};

/** Reads levels from ranges of scores out of ten. A level gets the middle of its range. */
const rangedLevels = (value: Json): readonly ForeignChoice[] | null => {
  if (!Array.isArray(value)) return null;
  const levels = value.flatMap((item: Json) => {
    const range = isObject(item) ? (item["score_range"] ?? item["scoreRange"]) : null;
    const meaning = isObject(item) ? nonBlankText(item["expected_outcome"] ?? item["expectedOutcome"]) : null;
    if (!Array.isArray(range) || meaning === null) return [];
    const [low, high] = [numberOf(range[0]), numberOf(range[1])];
    if (low === null || high === null) return [];
    const score = Math.round((low + high) * 500) / 10_000;
    return [{ label: low === high ? `${low}` : `${low} to ${high}`, score, meaning }];
  });
  return levels.length > 1 && levels.length === value.length ? levels : null;
};

/** Reads the type of a judge's answer: a name such as `bool`, `Literal['a', 'b']`, or a JSON Schema. */
const valueType = (
  value: Json,
): { readonly type: string; readonly choices: readonly ForeignChoice[] | null } | null => {
  const text = nonBlankText(value)?.slice(0, 1000) ?? null;
  if (text !== null) {
    const labels = text.startsWith("Literal[")
      ? [...text.matchAll(/["']([^"']{1,100})["']/gu)].map(([, label = ""]) => label)
      : [];
    return { type: text, choices: listedChoices(labels) };
  }
  if (!isObject(value)) return null;
  return { type: nonBlankText(value["type"]) ?? "", choices: listedChoices(value["enum"] ?? null) };
};

const numericTypes: ReadonlySet<string> = new Set(["NUMERIC", "number", "integer", "int", "float"]);
const listTypes: ReadonlySet<string> = new Set(["array", "object", "list", "dict"]);

/** Reads the possible answers of a metric. @throws ImportError with a clause whose subject is the metric. */
export const foreignOutput = (fields: ExportedFields, isRange: boolean): ForeignOutput => {
  const output = fields.child(outputKeys);
  const score = output.child(["score"]);
  const type = fields.first(["feedback_value_type", "feedbackValueType"], valueType);
  const dataType = output.first(["dataType"], nonBlankText) ?? type?.type ?? "";
  if (listTypes.has(dataType.replace(/\[.*$/su, "")))
    throw new ImportError(`its answer is of type ${dataType}, and a score is one value`);
  const allowsSeveral = [score, output].some((part) => part.first(["shouldAllowMultipleMatches"], flagOf) === true);
  if (allowsSeveral) throw new ImportError("it may give several categories at once, and a score has one level");
  const parts = [fields, score, output];
  const rangeFields = isRange ? ["range", "score_range", "allowed_values"] : ["range", "score_range"];
  const [min, max] = ["minValue", "maxValue"].map((key) => output.first([key], numberOf));
  const range =
    fields.first(rangeFields, rangeOf) ??
    (fields.first(["continuous"], flagOf) === true ? ([0, 1] as const) : null) ??
    (typeof min === "number" && typeof max === "number" ? rangeOf([min, max]) : null);
  const instructions = [
    ...["score", "scoreDescription", "description", "scoreValueInstructions"].map((key) =>
      output.first([key], nonBlankText),
    ),
    score.first(["description"], nonBlankText),
  ];
  const keys = fields.hasRead("allowed_values") ? choiceKeys.filter((key) => key !== "allowed_values") : choiceKeys;
  const ranges = fields.first(["rubric", "rubrics"], rangedLevels);
  const passingLabels = fields.first(["passing_labels"], listedChoices)?.map(({ label }) => label) ?? null;
  const choices =
    ranges ??
    fields.first(["rubrics", "rubric"], describedLevels) ??
    fields.first(keys, scoresByLabel) ??
    type?.choices ??
    parts.map((part) => part.first(keys, listedChoices)).find((list) => list !== null) ??
    null;
  return {
    choices:
      passingLabels === null || choices === null
        ? choices
        : choices.map(({ label, meaning }) => ({ label, meaning, score: passingLabels.includes(label) ? 1 : 0 })),
    range,
    isNumeric: range !== null || numericTypes.has(dataType),
    instructions: [...new Set(instructions.flatMap((text) => text ?? []))],
    note: ranges === null ? null : "A level of a range of scores has the middle of the range, out of ten.",
  };
};
