import type { IncomingMessage } from "node:http";
import { isAllowedOrigin, loopbackOrigins } from "../../../lib/contract/cross-origin.ts";

/** Headers that carry a credential. A request with any of them is authorized as usual, even if the credential is wrong. */
const credentials = ["authorization", "x-api-key"] as const;

const isSet = (value: string | readonly string[] | undefined): boolean => value !== undefined && String(value) !== "";

/** Headers that proxies and tunnels add, which lead requests of other machines to this one. */
const forwardingHeader = /^(?:x-forwarded-.*|x-real-ip|forwarded|via|cf-connecting-ip|true-client-ip)$/u;

/**
 * True unless the headers show that a page of another origin sent the request, also by DNS rebinding, or that it was forwarded:
 * `Host` and `Origin` must be loopback addresses.
 */
export const isFromThisMachine = ({ headers }: IncomingMessage): boolean => {
  const { host = "", origin, "sec-fetch-site": site } = headers;
  return (
    isAllowedOrigin(loopbackOrigins, `http://${host}`) &&
    (origin === undefined || isAllowedOrigin(loopbackOrigins, origin)) &&
    site !== "cross-site" &&
    !Object.keys(headers).some((name) => forwardingHeader.test(name))
  );
};

/**
 * Adds the developer's bearer token to a request from this machine that has no credential.
 *
 * @param token issues the bearer token
 */
export const addDeveloperCredential = async (message: IncomingMessage, token: () => Promise<string>): Promise<void> => {
  if (credentials.some((name) => isSet(message.headers[name])) || !isFromThisMachine(message)) return;
  const value = `Bearer ${await token()}`;
  message.headers.authorization = value;
  message.rawHeaders.push("Authorization", value);
};
