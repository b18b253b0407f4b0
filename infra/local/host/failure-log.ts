import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";

/** Logs an error of a part of the local runtime that will retry. */
export type LogFailure = (part: string, error: unknown) => void;

/**
 * Logs failures to `logs/runtime.log`: the part, the kind of error and the first stack frame. Never the message, which could
 * contain user data.
 */
export const failureLog = (directory: string): LogFailure => {
  mkdirSync(join(directory, "logs"), { recursive: true });
  return (part, error) => {
    const kind = error instanceof Error ? error.name : typeof error;
    const where = error instanceof Error ? (/\n\s+at .*/.exec(error.stack ?? "")?.[0].trim() ?? "") : "";
    appendFileSync(
      join(directory, "logs", "runtime.log"),
      `${JSON.stringify({ time: new Date().toISOString(), part, kind, where })}\n`,
    );
  };
};
