import { isObject, toDouble, type Json, type JsonObject } from "../../json.ts";

/** A metric in another tool's form, read: what it asks, and its choices. */
export interface ForeignMetric {
  readonly name: string | null;
  readonly prompt: string;
  /** Null where the tool asks for a number, or does not say. */
  readonly choices: readonly { readonly label: string; readonly score: number | null }[] | null;
  /** How a score and its reason are asked for, beside the prompt. */
  readonly asides: readonly string[];
  /** Of a number that is asked for; null where none is. */
  readonly range: readonly [number, number] | null;
}

const textOf = (value: Json | undefined): string | null =>
  typeof value === "string" && value.trim() !== "" ? value : null;

const numberOf = (value: Json | undefined): number | null => {
  const number = toDouble(value ?? null);
  return typeof number === "number" ? number : null;
};

/** Texts of a message's content: one text, or parts that have one. */
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

/** A prompt as one text: a text, messages, or an object with one of the two. */
const promptOf = (value: Json | undefined): string | null => {
  if (!isObject(value)) return textOf(value) ?? messagesOf(value);
  return textOf(value["content"]) ?? messagesOf(value["messages"]) ?? promptOf(value["prompt"]);
};

const firstOf = (given: JsonObject, keys: readonly string[]): Json | undefined =>
  keys.map((key) => given[key]).find((value) => value !== undefined && value !== null);

const textsIn = (value: Json | undefined): readonly string[] => {
  if (typeof value === "string") return /^[A-Z]{2,7}$/u.test(value) ? Array.from(value) : [];
  return Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
};

const choicesOf = (given: JsonObject): ForeignMetric["choices"] => {
  const scores = firstOf(given, ["choice_scores", "choiceScores", "choices_scores"]);
  if (isObject(scores)) return Object.entries(scores).map(([label, score]) => ({ label, score: numberOf(score) }));
  const labels = textsIn(firstOf(given, ["labels", "choice_strings", "choices", "categories", "rails"]));
  if (labels.length === 0) return null;
  const passing = firstOf(given, ["passing_labels"]);
  const passed = textsIn(passing);
  return labels.map((label) => ({ label, score: passing === undefined ? null : passed.includes(label) ? 1 : 0 }));
};

/** What may lie around a metric: a scorer's `prompt_data` with its parser, the one key of a file. */
const unwrapped = (given: JsonObject): JsonObject => {
  const data = given["prompt_data"];
  if (isObject(data)) {
    const parser = isObject(data["parser"]) ? data["parser"] : {};
    return { name: given["name"] ?? null, ...parser, prompt: data["prompt"] ?? null };
  }
  const [only, ...others] = Object.entries(given);
  if (only === undefined || others.length > 0) return given;
  const [name, inner] = only;
  return isObject(inner) ? { name, ...inner } : given;
};

/** An evaluator that describes its score in words, and may list categories. */
const outputOf = (given: JsonObject): JsonObject => {
  const output = firstOf(given, ["outputDefinition", "outputSchema", "output_schema", "output_definition"]);
  if (!isObject(output)) return {};
  const score = output["score"];
  return isObject(score) ? { ...output, ...score } : output;
};

const rangeOf = (given: JsonObject): ForeignMetric["range"] => {
  const { range } = given;
  if (!Array.isArray(range)) return null;
  const [low, high] = [numberOf(range[0]), numberOf(range[1])];
  return low === null || high === null ? null : [low, high];
};

/** Reads a prompt with choices as evaluation tools export it; null where there is no prompt in it. */
export const foreignMetric = (sent: JsonObject): ForeignMetric | null => {
  const given = unwrapped(sent);
  const prompt = promptOf(
    firstOf(given, ["prompt", "promptTemplate", "prompt_template", "template", "messages", "input"]),
  );
  if (prompt === null) return null;
  const output = outputOf(given);
  const asides = [output["score"], output["description"], output["scoreValueInstructions"]].flatMap(
    (value) => textOf(value) ?? [],
  );
  return {
    name: textOf(given["name"] ?? given["slug"]),
    prompt,
    choices: choicesOf(given) ?? choicesOf(output),
    asides: [...new Set(asides)],
    range: rangeOf(given),
  };
};
