/**
 * True if DynamoDB and its client can store a number exactly. A number outside of this range fails every write:
 * user-supplied numbers outside of it are stored as text.
 */
export const isStorable = (number: number): boolean =>
  number === 0 || (Math.abs(number) <= Number.MAX_SAFE_INTEGER && Math.abs(number) >= 1e-100);
