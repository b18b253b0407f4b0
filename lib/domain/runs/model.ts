/** A judge model: who serves it and what they call it. */
export interface ModelName {
  readonly provider: string;
  readonly name: string;
}

/** Who serves judge models. */
export const knownProviders = [
  "openai",
  "anthropic",
  "gemini",
  "vertex_ai",
  "bedrock",
  "openrouter",
  "custom",
] as const;

const wellKnown: readonly (readonly [pattern: RegExp, provider: string])[] = [
  [/^(?:gpt|o1|o3)-./u, "openai"],
  [/^claude-./u, "anthropic"],
  [/^gemini-./u, "gemini"],
];

/**
 * The provider and name a model text means: `<provider>/<model>` split at the first slash, or a bare well-known name.
 * Null when it is neither.
 */
export const resolveModel = (given: string): ModelName | null => {
  const slash = given.indexOf("/");
  if (slash > 0 && slash < given.length - 1) return { provider: given.slice(0, slash), name: given.slice(slash + 1) };
  if (slash !== -1) return null;
  const known = wellKnown.find(([pattern]) => pattern.test(given));
  return known === undefined ? null : { provider: known[1], name: given };
};

/** Beginnings of bare names whose provider is known. */
export const bareNames = "gpt-, o1-, o3-, claude-, gemini-";

/** The full id of a model, `<provider>/<model>`. */
export const modelId = ({ provider, name }: ModelName): string => `${provider}/${name}`;
