/** Whether an item has not expired; expired ones may lie around for days. @param at epoch milliseconds. */
export const isLive = ({ ttl }: Record<string, unknown>, at: number): boolean =>
  typeof ttl !== "number" || ttl * 1000 > at;
