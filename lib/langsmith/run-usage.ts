import { isObject, type Json, type JsonObject } from "../domain/json.ts";
import { reportedCounts } from "../domain/traces/usage/call-tokens.ts";

const objectOf = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});
const listOf = (value: Json | undefined): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : []);

const costKeys = ["total_cost", "input_cost", "output_cost"];

const isUsage = (value: Json | undefined): value is JsonObject =>
  isObject(value) &&
  (Object.keys(reportedCounts(value)).length > 0 || costKeys.some((key) => typeof value[key] === "number"));

/** Messages that LangChain stores as an object of its constructor's arguments. */
const fieldsOf = (message: JsonObject): JsonObject => (message["lc"] === 1 ? objectOf(message["kwargs"]) : message);

/**
 * Finds the token counts and costs of a call where LangSmith looks for them: in the metadata, in the outputs, in an output message, in
 * LangChain's generations; else those of the maker's answer.
 */
export const runUsageOf = (metadata: JsonObject, outputs: Json | null | undefined): JsonObject | null => {
  const output = objectOf(outputs ?? null);
  const generations = listOf(output["generations"]).flatMap((each) =>
    Array.isArray(each) ? (each as readonly Json[]) : [each],
  );
  const messages = [...Object.values(output), ...generations.map((each) => objectOf(each)["message"])];
  const places = [metadata, output, ...messages.filter((each) => isObject(each)).map(fieldsOf)];
  const maker = [output["usage"], objectOf(output["llm_output"])["token_usage"]];
  return [...places.map((place) => place["usage_metadata"]), ...maker].find(isUsage) ?? null;
};
