import { createHash } from "node:crypto";

/** A trace as it was when its session was judged. */
interface JudgedTrace {
  readonly traceId: string;
  readonly incarnation: string;
  readonly contentVersion: number;
}

/**
 * What tells whether a session is still what was judged: how many traces it had, and a fingerprint of them and their
 * versions. Another when a trace came, went or changed; null of none.
 */
export const sessionVersion = (traces: readonly JudgedTrace[]): string | null => {
  if (traces.length === 0) return null;
  const seen = createHash("sha256");
  for (const { traceId, incarnation, contentVersion } of traces) {
    seen.update(`${traceId} ${incarnation} ${contentVersion}\n`);
  }
  return `${traces.length}-${seen.digest("hex").slice(0, 12)}`;
};

/** How many traces a version is of. */
export const tracesOfVersion = (version: string): number => Number.parseInt(version, 10);
