/** Bytes that Lambda takes of all variables together, measured as one JSON text. */
const limit = 4_096;

/** The longest that CloudFormation puts in the place of a reference: a queue's URL with a name of 80 characters. */
const longestReference = "x".repeat(140);

const asText = (value: unknown): string => (typeof value === "string" ? value : longestReference);

const bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** The setting that was written into a variable, where one was as it is. */
const settingOf = (text: string, settings: Readonly<Record<string, unknown>>): string | undefined =>
  Object.entries(settings).find(([, value]) => value === text || JSON.stringify(value) === text)?.[0];

/**
 * What Lambda would say at the deployment.
 *
 * @param environment a function's variables as the template has them.
 * @param settings the deployment's, to name the one that is too long.
 * @returns undefined when Lambda takes them.
 */
export const environmentFault = (
  handler: string,
  environment: Readonly<Record<string, unknown>>,
  settings: Readonly<Record<string, unknown>>,
): string | undefined => {
  const variables = Object.entries(environment).map(([name, value]): [string, string] => [name, asText(value)]);
  const all = bytes(Object.fromEntries(variables));
  if (all <= limit) return undefined;
  const [[name, text] = ["", ""]] = variables.toSorted(([, a], [, b]) => bytes(b) - bytes(a));
  const setting = settingOf(text, settings);
  const cause = setting === undefined ? name : `the setting ${setting} (${name})`;
  return `The environment of ${handler} has ${all} bytes, and Lambda takes ${limit}: ${cause} is too long with its ${bytes(text)} bytes.`;
};
