import { appendFileSync, mkdirSync } from "node:fs";
import { join } from "node:path";

/** Notes that a part of the runtime failed and will try again. */
export type NoteFailure = (part: string, error: unknown) => void;

/**
 * Notes failures in `logs/runtime.log`: which part and which kind of error. Not its message, which may quote what was being
 * handled.
 */
export const failureLog = (directory: string): NoteFailure => {
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
