/**
 * Returns the epoch second after which what arrives with a trace is gone; null if it never expires.
 *
 * @param retentionDays whole UTC days that a trace is kept after its arrival; 0 keeps it forever.
 * @param arrivedAt epoch milliseconds.
 */
export const traceExpiry = (retentionDays: number, arrivedAt: number): number | null =>
  retentionDays === 0 ? null : (Math.floor(arrivedAt / 86_400_000) + 1 + retentionDays) * 86_400;
