import { anyStep, parsePath } from "./path.ts";

/** What of the texts that a project receives is never stored. */
export interface MaskingRules {
  /** Names of keys at any depth, of which `*` stands for any characters; case does not matter. */
  readonly keys: readonly string[];
  /** JSON paths into a trace, such as `$.spans[*].input.customer`. */
  readonly paths: readonly string[];
  /** Names among `maskingPresets`. */
  readonly presets: readonly string[];
}

/** Maximum rules of a project, and maximum characters of a rule. */
export const [maxMaskingRules, maxRuleCharacters] = [50, 200];

export const noMasking: MaskingRules = { keys: [], paths: [], presets: [] };

/** Returns the number of rules. */
export const ruleCount = ({ keys, paths, presets }: MaskingRules): number =>
  keys.length + paths.length + presets.length;

/** Fields of traces, spans and scores that a path may lead to, or into. */
const [traceFields, spanFields, scoreFields] = [
  ["name", "input", "output", "metadata", "session_id", "user_id", "tags", "environment", "release"],
  ["name", "input", "output", "model", "token_usage", "metadata", "error", "model_parameters", "cost"],
  ["reason", "metadata"],
];

const names = (fields: readonly string[]): string => fields.join(", ");

/** Returns the reason why a path leads to nothing that can be masked; null if it does. */
export const pathFlaw = (text: string): string | null => {
  const path = parsePath(text);
  if (path === null)
    return "Input should be a JSON path of `.name`, `['name']`, `[0]`, `.*` and `[*]` behind `$`, such as $.metadata.customer";
  const [root, item, field = ""] = path;
  if (root !== "spans" && root !== "scores")
    return typeof root === "string" && traceFields.includes(root)
      ? null
      : `A path begins with $.spans[*], $.scores[*], or $. and a field of a trace: ${names(traceFields)}`;
  const fields = root === "spans" ? spanFields : scoreFields;
  return item === anyStep && typeof field === "string" && fields.includes(field)
    ? null
    : `Behind $.${root} a path goes on with [*], . and one of: ${names(fields)}`;
};

/** Returns the reason why a text is no name of a key; null if it is one. */
export const keyFlaw = (text: string): string | null => {
  if (/[[\]\p{Cc}]/u.test(text)) return "A key should be without brackets and control characters";
  return /^\**$/u.test(text) ? "A key should have a character other than *" : null;
};
