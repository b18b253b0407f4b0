import { isObject, withoutKeys, type JsonObject } from "../../json.ts";

/** Value of the field `object` of the output items of OpenAI's Evals. */
export const outputItemKind = "eval.run.output_item";

/** Fields of a data source that hold the reference answer, the likeliest first. */
const answerFields = [
  "expected_output",
  "expected_answer",
  "expected",
  "ground_truth",
  "reference_answer",
  "reference",
  "ideal",
  "correct_answer",
  "correct_label",
  "label",
  "target",
  "answer",
] as const;

/**
 * Returns an output item of OpenAI's Evals as an item: its id; the fields of the data source without the reference answer as the input, or
 * the field `input` if it is the only one; and the rest of the output item as metadata, with results and sample.
 *
 * @returns null if its data source has no fields.
 */
export const itemOfOutputItem = (outputItem: JsonObject): JsonObject | null => {
  const { id, datasource_item: source, ...rest } = withoutKeys(outputItem, { object: true });
  if (!isObject(source)) return null;
  const { item, ...others } = source;
  const fields = isObject(item) ? { ...others, ...item } : source;
  const answerField = answerFields.find((name) => (fields[name] ?? null) !== null) ?? "";
  const { [answerField]: answer = null, ...inputFields } = fields;
  const { input = null, ...furtherFields } = inputFields;
  const hasInputOnly = Object.hasOwn(inputFields, "input") && Object.keys(furtherFields).length === 0;
  return {
    id: id ?? null,
    input: hasInputOnly ? input : inputFields,
    expected_output: answer,
    metadata: { openai_eval: rest },
  };
};
