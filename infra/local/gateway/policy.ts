/** A statement of the policy that an authorizer returns. */
export interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
}

const list = (value: string | readonly string[]): readonly string[] => (typeof value === "string" ? [value] : value);

/** Whether a text fits a pattern in which `*` stands for any characters and `?` for one. */
const fits = (text: string, pattern: string): boolean => {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replaceAll("*", ".*")
    .replaceAll("?", ".");
  return new RegExp(`^${source}$`, "s").test(text);
};

/**
 * Whether a policy lets a call through: some statement allows it and none denies it.
 *
 * Does not do: `NotAction`, `NotResource`, conditions.
 */
export const allows = (statements: readonly Statement[], methodArn: string): boolean => {
  const effects = statements
    .filter(({ Action }) => list(Action).some((pattern) => fits("execute-api:Invoke", pattern)))
    .filter(({ Resource }) => list(Resource).some((pattern) => fits(methodArn, pattern)))
    .map(({ Effect }) => Effect);
  const found = new Set(effects);
  return found.has("Allow") && !found.has("Deny");
};
