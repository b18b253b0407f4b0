import { parse, record, string } from "valibot";
import { variables } from "./environment.ts";
import { jsonSetting } from "./json-setting.ts";

const schema = record(string(), string());

/**
 * Reads the reasoning efforts of judge models, by `<provider>/<model>`, from the environment variable `JUDGE_EFFORTS`.
 *
 * @throws Error if the setting is malformed: a misconfigured function must not start.
 */
export const effortSettings = (
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Readonly<Record<string, string>> => {
  const setting = jsonSetting(variables.judgeEfforts, environment);
  return setting === undefined ? {} : parse(schema, setting);
};
