import * as v from "valibot";
import { invalid } from "../domain/refusal.ts";
import { defaultJudgeModels, modelRules, type ModelRefusal } from "../judge/prices/model-rules.ts";
import { priceOf } from "../prices/judge-prices.ts";
import { variables } from "./environment.ts";
import { jsonSetting } from "./json-setting.ts";
import { operatorPrices } from "./prices.ts";

/** Reads the rule which judge models may be asked from environment variables. @throws Error if a setting is malformed. */
export const environmentModelRules = (
  environment: Readonly<Record<string, string | undefined>> = process.env,
): ModelRefusal => {
  const prices = operatorPrices(environment);
  const patterns = v.parse(
    v.optional(v.array(v.string()), [...defaultJudgeModels]),
    jsonSetting(variables.judgeModels, environment),
  );
  return modelRules(patterns, (model) => priceOf(model, prices));
};

/** Creates the check of the judge model in a body. The check @throws Refusal `invalid` for a model that must not be asked. */
export const environmentModelCheck = () => {
  const refusalOf = environmentModelRules();
  return ({ model }: { readonly model?: string | null | undefined }): void => {
    const message = model === null || model === undefined ? null : refusalOf(model);
    if (message !== null) throw invalid(["body", "model"], message);
  };
};
