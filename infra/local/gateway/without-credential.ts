import type { IncomingMessage } from "node:http";
import { isAllowed, loopbackOrigins } from "../../../lib/contract/cross-origin.ts";

/** Any of these is a credential, whatever it holds: a wrong one is refused as ever. */
const credentials = ["authorization", "x-api-key"] as const;

const isSet = (value: string | readonly string[] | undefined): boolean => value !== undefined && String(value) !== "";

/**
 * Whether a request comes from this machine, as far as it says itself: a page of another origin, or one whose name was led
 * here by DNS, names where it is from.
 */
const isFromHere = ({ headers }: IncomingMessage): boolean => {
  const { host = "", origin, "sec-fetch-site": site } = headers;
  return (
    isAllowed(loopbackOrigins, `http://${host}`) &&
    (origin === undefined || isAllowed(loopbackOrigins, origin)) &&
    site !== "cross-site"
  );
};

/**
 * Gives a request of this machine that has no credential one.
 *
 * @param token makes the bearer token that it gets.
 */
export const withCredential = async (message: IncomingMessage, token: () => Promise<string>): Promise<void> => {
  if (credentials.some((name) => isSet(message.headers[name])) || !isFromHere(message)) return;
  const value = `Bearer ${await token()}`;
  message.headers.authorization = value;
  message.rawHeaders.push("Authorization", value);
};
