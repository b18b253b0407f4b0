/** What a command line asks that wants to be signed in. */
export interface CliLogin {
  /** Where it listens on the reader's own machine. */
  readonly port: number;
  readonly state: string;
  readonly challenge: string;
  /** What it calls itself; null where it does not. */
  readonly label: string | null;
  readonly version: string | null;
}

/** What is asked, by the address's query; a text where it cannot be answered: what is wrong with it. */
export const cliLoginIn = (query: Readonly<Record<string, string>>): CliLogin | string => {
  const { port = "", state = "", code_challenge: challenge = "", code_challenge_method: method = "S256" } = query;
  const isPort = /^[1-9]\d{0,4}$/u.test(port) && Number(port) <= 65_535;
  if (!isPort) return "its port is no number from 1 to 65535";
  if (state === "") return "it has no state";
  if (!/^[\w-]{43}$/u.test(challenge)) return "its code_challenge is no SHA-256 in base64url";
  if (method !== "S256") return "its code_challenge_method is not S256";
  return { port: Number(port), state, challenge, label: query["label"] ?? null, version: query["cli_version"] ?? null };
};

/** Where the command line waits for the answer. It is never anywhere but on the reader's own machine. */
export const answerTo = ({ port, state }: CliLogin, answer: Readonly<Record<string, string>>): string =>
  `http://127.0.0.1:${port}/callback?${new URLSearchParams({ ...answer, state }).toString()}`;
