import { parse, record, string } from "valibot";
import { variables } from "./environment.ts";
import { jsonSetting } from "./json-setting.ts";

const schema = record(string(), string());

/**
 * How much models are to think before they answer, by `<provider>/<model>`, from a function's environment.
 *
 * @throws Error when `JUDGE_EFFORTS` is there and not of its form: a function that is configured wrong must not start.
 */
export const effortSettings = (
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Readonly<Record<string, string>> => {
  const given = jsonSetting(variables.judgeEfforts, environment);
  return given === undefined ? {} : parse(schema, given);
};
