import { exactOptional, object, parse, picklist, record } from "valibot";
import type { Dialects } from "../judge/providers/connections.ts";
import { variables } from "./environment.ts";
import { jsonSetting } from "./json-setting.ts";

const schema = record(
  picklist(["openai", "gemini", "vertex_ai", "openrouter", "custom", "bedrock"]),
  object({
    answerFormat: exactOptional(picklist(["json_schema", "json_object", "forced_tool", "tool", "text"])),
    outputLimit: exactOptional(picklist(["max_tokens", "max_completion_tokens"])),
  }),
);

/**
 * What models of providers take, from a function's environment.
 *
 * @throws Error when `JUDGE_DIALECTS` is there and not of its form: a function that is configured wrong must not start.
 */
export const dialectSettings = (environment: Readonly<Record<string, string | undefined>> = process.env): Dialects => {
  const given = jsonSetting(variables.judgeDialects, environment);
  if (given === undefined) return {};
  return Object.fromEntries(
    Object.entries(parse(schema, given)).map(([provider, { answerFormat: format, outputLimit: limit }]) => [
      provider,
      { ...(format !== undefined && { format }), ...(limit !== undefined && { limit }) },
    ]),
  );
};
