/** A statement of the IAM policy that an authorizer returns. */
export interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
}

const asList = (value: string | readonly string[]): readonly string[] => (typeof value === "string" ? [value] : value);

/** True if a text matches a pattern with the wildcards `*` (any characters) and `?` (one character). */
const matchesPattern = (text: string, pattern: string): boolean => {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${source}$`, "s").test(text);
};

/**
 * True if at least one statement of a policy allows the call of a method and no statement denies it.
 *
 * Not supported: `NotAction`, `NotResource`, conditions.
 */
export const isAllowedByPolicy = (statements: readonly Statement[], methodArn: string): boolean => {
  const effects = statements
    .filter(({ Action }) => asList(Action).some((pattern) => matchesPattern("execute-api:Invoke", pattern)))
    .filter(({ Resource }) => asList(Resource).some((pattern) => matchesPattern(methodArn, pattern)))
    .map(({ Effect }) => Effect);
  const effectSet = new Set(effects);
  return effectSet.has("Allow") && !effectSet.has("Deny");
};
