/** True if an item has not expired: DynamoDB deletes expired items up to days late. @param at epoch milliseconds. */
export const isLive = ({ ttl }: Record<string, unknown>, at: number): boolean =>
  typeof ttl !== "number" || ttl * 1000 > at;
