/** A judge model: its provider and the provider's name of the model. */
export interface ModelName {
  readonly provider: string;
  readonly name: string;
}

/** Providers of judge models. */
export const judgeProviders = [
  "openai",
  "anthropic",
  "gemini",
  "vertex_ai",
  "bedrock",
  "openrouter",
  "custom",
  "openai-decisions",
  "systemone",
] as const;

/** Providers of decision models: they estimate the probability of each statement, and write no text. */
export const decisionProviders: readonly string[] = ["openai-decisions", "systemone"];

const bareNamePatterns: readonly (readonly [pattern: RegExp, provider: string])[] = [
  [/^(?:gpt|o1|o3)-./u, "openai"],
  [/^claude-./u, "anthropic"],
  [/^gemini-./u, "gemini"],
];

/**
 * Parses the name of a judge model: `<provider>/<model>`, split at the first slash, or a well-known name without
 * provider.
 *
 * @returns null if the provider cannot be determined.
 */
export const resolveModel = (text: string): ModelName | null => {
  const slash = text.indexOf("/");
  if (slash > 0 && slash < text.length - 1) return { provider: text.slice(0, slash), name: text.slice(slash + 1) };
  if (slash !== -1) return null;
  const match = bareNamePatterns.find(([pattern]) => pattern.test(text));
  return match === undefined ? null : { provider: match[1], name: text };
};

/** Prefixes of model names whose provider is known, for messages. */
export const bareNamePrefixes = "gpt-, o1-, o3-, claude-, gemini-";

/** True for a decision model. @param model `<provider>/<model>`. */
export const isDecisionModel = (model: string): boolean =>
  decisionProviders.includes(resolveModel(model)?.provider ?? "");

/** Formats the full id of a model, `<provider>/<model>`. */
export const modelId = ({ provider, name }: ModelName): string => `${provider}/${name}`;

/** Returns the full id of a model, `<provider>/<model>`; the name unchanged if its provider is unknown. */
export const fullModelName = (text: string): string => {
  const resolved = resolveModel(text);
  return resolved === null ? text : modelId(resolved);
};
