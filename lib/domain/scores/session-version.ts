import { createHash } from "node:crypto";

/** Fields of a session's trace that identify its judged state. */
interface JudgedSessionTrace {
  readonly traceId: string;
  readonly incarnation: string;
  readonly contentVersion: number;
}

/**
 * Computes the version of a session: its number of traces and a fingerprint of their versions, which changes when a
 * trace is added, removed or changed. Null without traces.
 */
export const sessionVersion = (traces: readonly JudgedSessionTrace[]): string | null => {
  if (traces.length === 0) return null;
  const digest = createHash("sha256");
  for (const { traceId, incarnation, contentVersion } of traces) {
    digest.update(`${traceId} ${incarnation} ${contentVersion}\n`);
  }
  return `${traces.length}-${digest.digest("hex").slice(0, 12)}`;
};

/** Returns the number of traces in a session version. */
export const tracesOfVersion = (version: string): number => Number.parseInt(version, 10);
