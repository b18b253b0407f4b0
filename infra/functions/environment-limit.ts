/** Lambda's limit for all environment variables of a function, in bytes of their JSON. */
const maxBytes = 4_096;

/** Placeholder for a reference, as long as its longest value: a queue's URL with a name of 80 characters. */
const longestReference = "x".repeat(140);

const valueText = (value: unknown): string => (typeof value === "string" ? value : longestReference);

const bytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** Returns the name of the setting whose value equals the text of a variable, if there is one. */
const settingOf = (text: string, settings: Readonly<Record<string, unknown>>): string | undefined =>
  Object.entries(settings).find(([, value]) => value === text || JSON.stringify(value) === text)?.[0];

/**
 * Checks a function's environment against Lambda's size limit, which otherwise fails only at deployment.
 *
 * @param environment variables of a function, as in the template.
 * @param settings settings of the deployment, to name the setting that is too long.
 * @returns an error sentence; undefined if the environment fits.
 */
export const environmentFault = (
  handler: string,
  environment: Readonly<Record<string, unknown>>,
  settings: Readonly<Record<string, unknown>>,
): string | undefined => {
  const variables = Object.entries(environment).map(([name, value]): [string, string] => [name, valueText(value)]);
  const totalBytes = bytes(Object.fromEntries(variables));
  if (totalBytes <= maxBytes) return undefined;
  const [[name, text] = ["", ""]] = variables.toSorted(([, a], [, b]) => bytes(b) - bytes(a));
  const setting = settingOf(text, settings);
  const cause = setting === undefined ? name : `the setting ${setting} (${name})`;
  return `The environment of ${handler} has ${totalBytes} bytes, more than Lambda's limit of ${maxBytes}: ${cause} is too long with ${bytes(text)} bytes.`;
};
