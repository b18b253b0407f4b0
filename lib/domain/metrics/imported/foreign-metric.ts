import { isObject, type Json, type JsonObject } from "../../json.ts";
import { flagOf, ImportError, numberOf, nonBlankText, thresholdKeys, wrappers, ExportedFields } from "./fields.ts";
import { foreignCheck } from "./foreign-check.ts";
import { foreignOutput, type ForeignOutput } from "./foreign-choices.ts";
import { prefersLowScores } from "./stated-scores.ts";
import { criterionLead, metricType, importRefusal, type MetricType } from "./metric-type.ts";

/** A criterion that a judge answers with yes or no. */
export interface Criterion {
  readonly text: string;
  /** True if the criterion must not be met. */
  readonly isReversed: boolean;
}

/** A metric parsed from the export format of another evaluation tool. */
export interface ForeignMetric {
  /** Name of the metric, or of its type; null if the export has neither. */
  readonly name: string | null;
  /** Description of the metric; null if the export has none. */
  readonly description: string | null;
  /** Type as exported; null if the export names none. */
  readonly type: string | null;
  /** Conditions of a metric without a judge; null for a metric with one. */
  readonly check: JsonObject | null;
  /** Names of the fields of an item that are the expected output of conditions. */
  readonly itemFields: readonly string[];
  /** Instructions to a judge; empty for a metric without one, or with criteria. */
  readonly prompt: string;
  /** Criteria of which `least` must be met; empty for a metric with a prompt. */
  readonly criteria: readonly Criterion[];
  readonly least: number;
  readonly output: ForeignOutput;
  /** True if a lower score, or the answer no, is better; null if no field of the export says so or the opposite. */
  readonly isReversed: boolean | null;
  /** Minimum score of a success, in the other tool's scores; null if there is none. */
  readonly threshold: number | null;
  /** True if the other tool shows its judge an expected answer. */
  readonly showsExpectation: boolean;
  /** Paths of the fields that are not imported. */
  readonly ignoredPaths: readonly string[];
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
] as const;
const criteriaKeys = ["criteria", "criterion", "definition", "rubric"] as const;
const nameKeys = ["name", "slug", "metric", "feedback_key", "feedbackKey"] as const;
const scoreInstructionKeys = ["evaluation_steps", "evaluationSteps", "grading_prompt"] as const;
const directionKeys = ["optimization_direction", "optimizationDirection", "direction"] as const;

/** Fields of code that a metric runs. */
const codeKeys = ["code", "source", "sourceCode", "call_source", "source_code"] as const;

/** Returns the texts of a message's content: a string, or parts with a `text`. */
const contentOf = (content: Json | undefined): readonly string[] => {
  if (Array.isArray(content)) return content.flatMap(contentOf);
  if (isObject(content)) return contentOf(content["text"]);
  const text = nonBlankText(content);
  return text === null ? [] : [text];
};

const messagesOf = (value: Json | undefined): string | null => {
  if (!Array.isArray(value)) return null;
  const texts = value.flatMap((message: Json) => (isObject(message) ? contentOf(message["content"]) : []));
  return texts.length === 0 ? null : texts.join("\n\n");
};

const textsOf = (value: Json | undefined): readonly string[] | null => {
  if (!Array.isArray(value)) return null;
  const texts = value.filter((line) => typeof line === "string");
  return texts.length === 0 || texts.length < value.length ? null : texts;
};

/** Joins a prompt into one text, from a string, lines, messages, or an object with a text or messages. */
const promptOf = (value: Json | undefined): string | null => {
  if (!isObject(value)) return nonBlankText(value) ?? textsOf(value)?.join("\n") ?? messagesOf(value);
  return (
    nonBlankText(value["content"]) ??
    nonBlankText(value["instruction"]) ??
    messagesOf(value["messages"]) ??
    promptOf(value["prompt"])
  );
};

const emptyOutput: ForeignOutput = { choices: null, range: null, isNumeric: false, instructions: [], note: null };

type Parts = Omit<ForeignMetric, "description" | "type" | "ignoredPaths">;

const partsOf = (prompt: string, parts: Partial<Parts> = {}): Parts => ({
  name: null,
  check: null,
  itemFields: [],
  prompt,
  criteria: [],
  least: 0,
  output: emptyOutput,
  isReversed: null,
  threshold: null,
  showsExpectation: false,
  ...parts,
});

/**
 * Returns how many of several metrics have to hold: all, or the share that the list names.
 *
 * @throws ImportError if the metrics of a list with a share have weights.
 */
const leastOf = (fields: ExportedFields, items: readonly ExportedFields[]): number => {
  const share = fields.first(thresholdKeys, numberOf);
  if (share === null) return items.length;
  if (items.some((item) => (item.first(["weight"], numberOf) ?? 1) !== 1))
    throw new ImportError("its list has a threshold and weights, which no rule of a metric has");
  return Math.max(1, Math.ceil(share * items.length - 1e-9));
};

const combinedParts = (fields: ExportedFields, items: readonly ExportedFields[]): Parts => {
  const parts = items.map((item) => readParts(item, metricType(item)));
  const [only, ...others] = parts;
  if (only !== undefined && others.length === 0)
    return { ...only, name: items[0]?.first(nameKeys, nonBlankText) ?? only.name };
  if (fields.hasRead("tests"))
    throw new ImportError(`it has ${items.length} tests, each about an input of its own: import the assertions of one`);
  const least = leastOf(fields, items);
  const note = parts.some(({ threshold }) => threshold !== null)
    ? "The thresholds within the list do not apply: each part of it holds or does not hold now."
    : null;
  const output = { ...emptyOutput, note };
  const checks = parts.flatMap(({ check }) => check ?? []);
  const itemFields = parts.flatMap((part) => part.itemFields);
  if (checks.length === parts.length) {
    if (least > 1 && least < checks.length)
      throw new ImportError(`${least} of its ${checks.length} conditions have to hold, and a check knows all or any`);
    return partsOf("", { check: least === 1 ? { any: checks } : { all: checks }, itemFields, output });
  }
  if (checks.length > 0)
    throw new ImportError("its list mixes conditions and questions to a judge: import them one by one");
  if (parts.some((part) => part.output.choices !== null || part.least < part.criteria.length))
    throw new ImportError("its list has questions with several levels: import them one by one");
  const criteria = parts.flatMap(({ prompt, isReversed, criteria: ownCriteria }) =>
    ownCriteria.length > 0
      ? ownCriteria
      : [{ text: prompt, isReversed: isReversed ?? prefersLowScores(prompt) ?? false }],
  );
  return partsOf("", { criteria, output, least: least === items.length ? criteria.length : least });
};

const listKeys = ["assert", "testing_criteria"] as const;

const namingType = <T>({ label }: MetricType, work: () => T): T => {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof ImportError) || label === null) throw error;
    throw error.about(`"${label}"`);
  }
};

const readParts = (fields: ExportedFields, type: MetricType): Parts =>
  namingType(type, () => {
    const defaults = fields.child(["defaultTest"]);
    const items = fields.items(listKeys) ?? defaults.items(listKeys) ?? fields.items(["tests"]);
    if (items !== null) return combinedParts(fields, items);
    const foreign = foreignCheck(type.key, fields);
    if (foreign !== null) {
      const { check, itemField } = foreign;
      const isRead = thresholdKeys.some((key) => fields.hasRead(key));
      const threshold = isRead ? null : fields.first(thresholdKeys, numberOf);
      const itemFields = itemField === null ? [] : [itemField];
      return partsOf("", { check: type.isNegated ? { not: check } : check, itemFields, threshold });
    }
    return readJudge(fields, type);
  });

const readJudge = (fields: ExportedFields, type: MetricType): Parts => {
  const refusal = importRefusal(type.key);
  if (refusal !== null) throw new ImportError(refusal);
  const lead = criterionLead(type.key);
  const guidelines = fields.first(["guidelines"], (value) => {
    const text = nonBlankText(value);
    return text === null ? textsOf(value) : [text];
  });
  const direction = fields.first(directionKeys, nonBlankText)?.toLowerCase() ?? null;
  const isHighBetter = fields.first(["greater_is_better", "higher_is_better"], flagOf);
  const isReversed =
    type.isNegated || direction === "minimize" || isHighBetter === false
      ? true
      : direction === null && isHighBetter === null
        ? null
        : false;
  const threshold = (): number | null =>
    fields.first(["strict_mode", "strictMode"], flagOf) === true
      ? 1
      : type.isNegated
        ? null
        : fields.first(thresholdKeys, numberOf);
  if (guidelines !== null) {
    const criteria = guidelines.map((text) => ({ text, isReversed: isReversed === true }));
    return partsOf("", {
      criteria,
      least: criteria.length,
      isReversed: isReversed === true && criteria.length === 1,
      threshold: threshold(),
    });
  }
  const template = fields.first(promptKeys, promptOf);
  const criteria = [
    fields.first(criteriaKeys, promptOf),
    lead !== null || type.label === null || template !== null ? fields.first(["value"], promptOf) : null,
  ].flatMap((text) => (text === null ? [] : `${lead ?? ""}${text}`));
  const output = foreignOutput(fields, type.key !== "discrete");
  const steps = scoreInstructionKeys.flatMap((key) => fields.first([key], promptOf) ?? []);
  const levels = output.choices?.some(({ meaning }) => meaning !== null) === true;
  const texts = [
    fields.first(["system"], nonBlankText),
    template,
    ...criteria,
    ...steps,
    ...output.instructions,
  ].flatMap((text) => text ?? []);
  const isQuestion = template !== null || criteria.length > 0 || steps.length > 0;
  if (!isQuestion && !levels) throw noPrompt(fields, type);
  const prompt = isQuestion ? texts : ["Decide which level of the scale the record reaches.", ...texts];
  if (criteria.length === 0 && template !== null && criterionPlaceholder.test(template))
    throw new ImportError("its prompt leaves the criterion to the caller: write the criterion into the prompt");
  return partsOf([...new Set(prompt)].join("\n\n"), {
    output,
    isReversed,
    threshold: threshold(),
    showsExpectation: fields.has(["evaluation_params", "evaluationParams"], (value) =>
      /expected/iu.test(JSON.stringify(value)) ? true : null,
    ),
  });
};

/** Matches a placeholder of the criterion that a prompt is about. */
const criterionPlaceholder = /\{\{?\s?(?:criteri(?:a|on)|rubric|guidelines?)\s?\}?\}/iu;

const noPrompt = (fields: ExportedFields, { label }: MetricType): ImportError => {
  const name = fields.has(codeKeys, nonBlankText) ? "code" : (fields.first(nameKeys, nonBlankText) ?? "");
  const refusal = importRefusal(name);
  if (refusal !== null) return new ImportError(refusal);
  const reference = fields.first(["$ref"], nonBlankText);
  if (reference !== null)
    return new ImportError(`it has the $ref ${JSON.stringify(reference)}: put there what it refers to`);
  return label === null
    ? new ImportError(
        "The export has no prompt. A prompt is read from prompt, promptTemplate, template, messages, input, instructions, criteria, definition or value.",
      )
    : new ImportError("no condition of a check does the same, and the export has no prompt for a judge");
};

/** Keys of objects that are a part of a metric, not a metric under its name. */
const partKeys: ReadonlySet<string> = new Set([...wrappers, "defaultTest", "rubrics", "rubric"]);

/** An object with a single key is a metric under its name. */
const withName = (input: JsonObject): JsonObject => {
  const [entry, ...furtherEntries] = Object.entries(input);
  if (entry === undefined || furtherEntries.length > 0) return input;
  const [name, inner] = entry;
  return isObject(inner) && !partKeys.has(name) ? { name, ...inner } : input;
};

/**
 * Parses a metric from the export of another evaluation tool.
 *
 * @throws ImportError for a metric that cannot be expressed here.
 */
export const foreignMetric = (input: JsonObject): ForeignMetric => {
  const fields = new ExportedFields(withName(input));
  const name = fields.first(nameKeys, nonBlankText);
  const description = fields.first(["description"], nonBlankText);
  const type = metricType(fields);
  const parts = readParts(fields, type);
  return {
    ...parts,
    name: name ?? parts.name ?? type.label,
    description,
    type: type.label,
    ignoredPaths: fields.unreadPaths(),
  };
};
