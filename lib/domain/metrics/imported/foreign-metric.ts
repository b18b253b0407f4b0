import { isObject, toDouble, type Json, type JsonObject } from "../../json.ts";

/** A metric parsed from the export format of another evaluation tool. */
export interface ForeignMetric {
  readonly name: string | null;
  /** Description of the metric; null if the export has none. */
  readonly description: string | null;
  readonly prompt: string;
  /** Possible answers with their scores; null if the tool asks for a number or lists none. */
  readonly choices: readonly { readonly label: string; readonly score: number | null }[] | null;
  /** Instructions for the score and its reason, from fields other than the prompt. */
  readonly scoreInstructions: readonly string[];
  /** Range of a numeric score; null if there is none. */
  readonly range: readonly [number, number] | null;
  /** True if a lower score is better. */
  readonly lessIsBetter: boolean;
  /** Names of non-empty fields that are not imported. */
  readonly ignoredKeys: readonly string[];
}

const promptKeys = [
  "prompt",
  "promptTemplate",
  "prompt_template",
  "rubricPrompt",
  "template",
  "messages",
  "input",
  "instructions",
  "criteria",
  "definition",
  "value",
] as const;
const nameKeys = ["name", "slug", "metric", "feedback_key"] as const;
const scoreInstructionKeys = ["evaluation_steps", "grading_prompt"] as const;
const scoreKeys = ["choice_scores", "choiceScores", "choices_scores", "choices"] as const;
const labelKeys = ["labels", "choice_strings", "choices", "categories", "rails"] as const;
const outputKeys = ["outputDefinition", "outputSchema", "output_schema", "output_definition"] as const;

/** Names of fields that are imported, or ignored because they do not affect judging. */
const knownKeys: ReadonlySet<string> = new Set(
  [
    [promptKeys, nameKeys, scoreInstructionKeys, scoreKeys, labelKeys, outputKeys],
    ["description", "passing_labels", "range", "optimization_direction", "greater_is_better"],
    ["id", "type", "version", "created_at", "updated_at", "createdAt", "updatedAt", "use_cot", "useCoT", "eval_type"],
  ].flat(2),
);

const textOf = (value: Json | undefined): string | null =>
  typeof value === "string" && value.trim() !== "" ? value : null;

const numberOf = (value: Json | undefined): number | null => {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : toDouble(value ?? null);
  return typeof number === "number" && Number.isFinite(number) ? number : null;
};

/** Returns the texts of a message's content: a string, or parts with a `text`. */
const contentOf = (content: Json | undefined): readonly string[] => {
  if (Array.isArray(content)) return content.flatMap(contentOf);
  if (isObject(content)) return contentOf(content["text"]);
  const text = textOf(content);
  return text === null ? [] : [text];
};

const messagesOf = (value: Json | undefined): string | null => {
  if (!Array.isArray(value)) return null;
  const texts = value.flatMap((message: Json) => (isObject(message) ? contentOf(message["content"]) : []));
  return texts.length === 0 ? null : texts.join("\n\n");
};

const linesOf = (value: Json | undefined): string | null => {
  if (!Array.isArray(value)) return null;
  const lines = value.filter((line) => typeof line === "string");
  return lines.length === 0 || lines.length < value.length ? null : lines.join("\n");
};

/** Joins a prompt into one text, from a string, lines, messages, or an object with a text or messages. */
const promptOf = (value: Json | undefined): string | null => {
  if (!isObject(value)) return textOf(value) ?? linesOf(value) ?? messagesOf(value);
  return textOf(value["content"]) ?? messagesOf(value["messages"]) ?? promptOf(value["prompt"]);
};

const firstOf = (fields: JsonObject, keys: readonly string[]): Json | undefined =>
  keys.map((key) => fields[key]).find((value) => value !== undefined && value !== null);

const textsIn = (value: Json | undefined): readonly string[] => {
  if (typeof value === "string") return /^[A-Z]{2,7}$/u.test(value) ? Array.from(value) : [];
  return Array.isArray(value) ? value.filter((item) => typeof item === "string") : [];
};

const choicesOf = (fields: JsonObject): ForeignMetric["choices"] => {
  const scores = scoreKeys.map((key) => fields[key]).find(isObject);
  if (scores !== undefined) return Object.entries(scores).map(([label, score]) => ({ label, score: numberOf(score) }));
  const items = scoreKeys.map((key) => fields[key]).find(Array.isArray) ?? [];
  const objects = items.flatMap((item: Json) => {
    const label = isObject(item) ? textOf(firstOf(item, ["label", "name"])) : null;
    return isObject(item) && label !== null ? [{ label, score: numberOf(firstOf(item, ["score", "value"])) }] : [];
  });
  if (objects.length > 0) return objects;
  const labels = textsIn(firstOf(fields, labelKeys));
  if (labels.length === 0) return null;
  const passing = firstOf(fields, ["passing_labels"]);
  const passingLabels = textsIn(passing);
  return labels.map((label) => ({
    label,
    score: passing === undefined ? null : passingLabels.includes(label) ? 1 : 0,
  }));
};

/** Unwraps a metric: the `prompt_data` of a scorer, or an object with a single key. */
const unwrapped = (fields: JsonObject): JsonObject => {
  const data = fields["prompt_data"];
  if (isObject(data)) {
    const parser = isObject(data["parser"]) ? data["parser"] : {};
    const { name = null, description = null } = fields;
    return { name, description, ...parser, prompt: data["prompt"] ?? null };
  }
  const [entry, ...furtherEntries] = Object.entries(fields);
  if (entry === undefined || furtherEntries.length > 0) return fields;
  const [name, inner] = entry;
  return isObject(inner) ? { name, ...inner } : fields;
};

/** Returns the output definition of an evaluator, which describes its score and may list categories. */
const outputOf = (fields: JsonObject): JsonObject => {
  const output = firstOf(fields, outputKeys);
  if (!isObject(output)) return {};
  const score = output["score"];
  return isObject(score) ? { ...output, ...score } : output;
};

const rangeOf = (fields: JsonObject): ForeignMetric["range"] => {
  const { range } = fields;
  if (!Array.isArray(range)) return null;
  const [low, high] = [numberOf(range[0]), numberOf(range[1])];
  return low === null || high === null ? null : [low, high];
};

/** Parses a prompt with choices from the export of another evaluation tool; null if it has no prompt. */
export const foreignMetric = (input: JsonObject): ForeignMetric | null => {
  const fields = unwrapped(input);
  const prompt = promptOf(firstOf(fields, promptKeys));
  if (prompt === null) return null;
  const output = outputOf(fields);
  const scoreInstructions = [
    ...scoreInstructionKeys.map((key) => fields[key]),
    output["score"],
    output["description"],
    output["scoreValueInstructions"],
  ].flatMap((value) => textOf(value) ?? linesOf(value) ?? []);
  const isNonEmpty = (value: Json | undefined): boolean =>
    value !== null && value !== "" && JSON.stringify(value) !== "[]" && JSON.stringify(value) !== "{}";
  return {
    name: textOf(firstOf(fields, nameKeys)),
    description: textOf(fields["description"]),
    prompt,
    choices: choicesOf(fields) ?? choicesOf(output),
    scoreInstructions: [...new Set(scoreInstructions)],
    range: rangeOf(fields),
    lessIsBetter: fields["optimization_direction"] === "minimize" || fields["greater_is_better"] === false,
    ignoredKeys: Object.keys(fields).filter((key) => !knownKeys.has(key) && isNonEmpty(fields[key])),
  };
};
