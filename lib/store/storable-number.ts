/**
 * Whether DynamoDB and its client take a number as it is. What is beyond makes every attempt to write it fail: where people
 * give the numbers, text is kept in its place.
 */
export const isStorable = (number: number): boolean =>
  number === 0 || (Math.abs(number) <= Number.MAX_SAFE_INTEGER && Math.abs(number) >= 1e-100);
