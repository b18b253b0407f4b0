/**
 * Parses the environment variable `PORT`; default 4000.
 *
 * @throws Error with one sentence when the value is not an integer from 0 to 65535.
 */
export const portOf = ({ PORT: text = "4000" }: Readonly<Record<string, string | undefined>>): number => {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new Error(`PORT must be 0 to 65535, not ${text}.`);
  return port;
};
