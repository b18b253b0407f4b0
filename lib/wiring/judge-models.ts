import * as v from "valibot";
import { invalid } from "../domain/refusal.ts";
import { resolveModel } from "../domain/runs/model.ts";
import { defaultJudgeModels, modelRules, type ModelRefusal } from "../judge/prices/model-rules.ts";
import { unknownProvider } from "../judge/providers/provider-settings.ts";
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
  const refusalOf = modelRules(patterns, (model) => priceOf(model, prices));
  return (text) => {
    const [refusal, model] = [refusalOf(text), resolveModel(text)];
    return refusal === null || model === null ? refusal : (unknownProvider(model) ?? refusal);
  };
};

/** Judges that a body names. */
interface JudgesInBody {
  readonly model?: string | null | undefined;
  readonly judge?: { readonly first: string; readonly escalate: { readonly to: string } } | null | undefined;
}

/** Checks that a model and two judges exclude each other. @throws Refusal `invalid` if both are named. */
export const checkSingleJudge = ({ model = null, judge = null }: JudgesInBody): void => {
  if (model !== null && judge !== null)
    throw invalid(
      ["body", "judge"],
      "judge names two judges: model must be null beside it, or judge null beside model.",
    );
};

/** Creates the check of the judges in a body. The check @throws Refusal `invalid` for a model that must not be asked, and for a judge beside two. */
export const environmentModelCheck = () => {
  const refusalOf = environmentModelRules();
  return ({ model = null, judge = null }: JudgesInBody): void => {
    checkSingleJudge({ model, judge });
    const models = [
      { name: model, loc: ["model"] },
      { name: judge?.first ?? null, loc: ["judge", "first"] },
      { name: judge?.escalate.to ?? null, loc: ["judge", "escalate", "to"] },
    ];
    for (const { name, loc } of models) {
      const message = name === null ? null : refusalOf(name);
      if (message !== null) throw invalid(["body", ...loc], message);
    }
  };
};
