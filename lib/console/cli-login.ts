/** Sign-in request of a command-line client, from the query of `/cli-login`. */
export interface CliLoginRequest {
  /** Loopback port on which the client waits for the answer. */
  readonly port: number;
  readonly state: string;
  readonly challenge: string;
  /** Name that the client gives itself, such as the host name; null if absent. */
  readonly label: string | null;
  readonly version: string | null;
}

/** Parses the query of `/cli-login`. @returns the request, or a text with the reason why it is invalid. */
export const parseCliLogin = (query: Readonly<Record<string, string>>): CliLoginRequest | string => {
  const { port = "", state = "", code_challenge: challenge = "", code_challenge_method: method = "S256" } = query;
  const isPort = /^[1-9]\d{0,4}$/u.test(port) && Number(port) <= 65_535;
  if (!isPort) return "its port is not a number from 1 to 65535";
  if (state === "") return "it has no state";
  if (!/^[\w-]{43}$/u.test(challenge)) return "its code_challenge is not a SHA-256 in base64url";
  if (method !== "S256") return "its code_challenge_method is not S256";
  return { port: Number(port), state, challenge, label: query["label"] ?? null, version: query["cli_version"] ?? null };
};

/** URL of the client's callback, always on 127.0.0.1, with the answer and the request's state in its query. */
export const callbackUrl = ({ port, state }: CliLoginRequest, params: Readonly<Record<string, string>>): string =>
  `http://127.0.0.1:${port}/callback?${new URLSearchParams({ ...params, state }).toString()}`;
