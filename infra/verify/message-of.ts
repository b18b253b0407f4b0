import { ConnectionError } from "../../lib/client/errors.ts";

/** Returns the message of an error; for a connection error, the message of its cause. */
export const messageOf = (error: unknown): string => {
  const source = error instanceof ConnectionError ? error.cause : error;
  return source instanceof Error ? source.message : String(source);
};
