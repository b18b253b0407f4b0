import { ConnectionError } from "../../lib/client/errors.ts";

/** What an error says; one of a connection what came about it. */
export const messageOf = (error: unknown): string => {
  const told = error instanceof ConnectionError ? error.cause : error;
  return told instanceof Error ? told.message : String(told);
};
