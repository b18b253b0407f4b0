import { exactOptional, integer, minValue, number, object, parse, picklist, pipe, record, string } from "valibot";
import type { Dialects } from "../judge/providers/connections.ts";
import { variables } from "./environment.ts";
import { jsonSetting } from "./json-setting.ts";

const dialects = record(
  picklist(["openai", "gemini", "vertex_ai", "openrouter", "custom", "bedrock"]),
  object({
    answerFormat: exactOptional(picklist(["json_schema", "json_object", "forced_tool", "tool", "text"])),
    outputLimit: exactOptional(picklist(["max_tokens", "max_completion_tokens"])),
    outputTokens: exactOptional(pipe(number(), integer(), minValue(256))),
    callSeconds: exactOptional(pipe(number(), integer(), minValue(1))),
  }),
);

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the request formats that the models of each judge provider accept, from the environment variable `JUDGE_DIALECTS`.
 *
 * @throws Error if the setting is malformed: a misconfigured function must not start.
 */
export const dialectSettings = (environment: Environment = process.env): Dialects => {
  const setting = jsonSetting(variables.judgeDialects, environment);
  if (setting === undefined) return {};
  return Object.fromEntries(
    Object.entries(parse(dialects, setting)).map(
      ([provider, { answerFormat: format, outputLimit: limit, outputTokens: maxTokens, callSeconds }]) => [
        provider,
        {
          ...(format !== undefined && { format }),
          ...(limit !== undefined && { limit }),
          ...(maxTokens !== undefined && { maxTokens }),
          ...(callSeconds !== undefined && { maxCallTime: callSeconds * 1000 }),
        },
      ],
    ),
  );
};

const efforts = record(string(), string());

/**
 * Reads the reasoning efforts of judge models, by `<provider>/<model>`, from the environment variable `JUDGE_EFFORTS`.
 *
 * @throws Error if the setting is malformed: a misconfigured function must not start.
 */
export const effortSettings = (environment: Environment = process.env): Readonly<Record<string, string>> => {
  const setting = jsonSetting(variables.judgeEfforts, environment);
  return setting === undefined ? {} : parse(efforts, setting);
};
