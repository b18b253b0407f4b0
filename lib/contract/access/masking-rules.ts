import * as v from "valibot";
import { maskingPresets } from "../../domain/masking/presets.ts";
import { keyFlaw, maxMaskingRules, maxRuleCharacters, pathFlaw, ruleCount } from "../../domain/masking/rules.ts";
import { closedObject } from "../schema/closed-object.ts";
import { listOf, oneOf, text } from "../schema/fields.ts";

/** Schema of a list of rules, each of which has no flaw; duplicates are removed. */
const rules = (flawOf: (rule: string) => string | null, description: string) =>
  v.optional(
    v.pipe(
      listOf(
        v.pipe(
          text(maxRuleCharacters, 1),
          v.rawCheck(({ dataset, addIssue }) => {
            const flaw = dataset.typed ? flawOf(dataset.value) : null;
            if (flaw !== null) addIssue({ message: flaw });
          }),
        ),
        maxMaskingRules,
      ),
      v.transform((each) => [...new Set(each)]),
      v.description(description),
    ),
    [],
  );

/** Schema of the masking rules of a project. */
export const maskingRules = v.pipe(
  closedObject({
    keys: rules(
      keyFlaw,
      "Names of keys whose values are masked, at any depth of free-form JSON and of texts that are JSON as a whole (not within prose, code fences or lines), in any case; `*` stands for any " +
        "characters. A name without `*` is also that of a field of traces, spans and scores, such as `input` or `user_id`.",
    ),
    paths: rules(
      pathFlaw,
      "JSON paths into a trace as `POST /traces` takes it, such as `$.metadata.customer`, `$.spans[*].input.card` and, into scores, " +
        "`$.scores[*].reason`.",
    ),
    presets: v.optional(
      v.pipe(
        listOf(oneOf(maskingPresets), maskingPresets.length),
        v.transform((each) => [...new Set(each)]),
        v.description(
          "Texts that are masked wherever they occur, apart from ids: `email`; `iban` and `card` with the right check digits, in groups of four " +
            "or without spaces; `phone` with `+` and the country's code, or as `(212) 555-0123` and `212-555-0123`.",
        ),
      ),
      [],
    ),
  }),
  v.check((each) => ruleCount(each) <= maxMaskingRules, `A project has at most ${maxMaskingRules} masking rules`),
  v.title("MaskingRules"),
  v.description(
    `Rules by which texts are replaced by \`[masked:<rule>]\` before anything of a trace, span, log event or score is stored or computed from it, ` +
      `at most ${maxMaskingRules}. They apply to what arrives from now on, and are replaced as a whole.`,
  ),
  v.examples([{ keys: ["password", "*_token"], paths: ["$.metadata.customer"], presets: ["email" as const] }]),
);
