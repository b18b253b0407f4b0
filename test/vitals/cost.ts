import type { CountedRequest } from "./counted-engine.ts";

/** What some work cost, of one thing done. */
export interface Cost {
  readonly requests: number;
  readonly read: number;
  readonly write: number;
}

/** What so many things done cost each. */
export const costOf = (requests: readonly CountedRequest[], done: number): Cost => ({
  requests: requests.length / done,
  read: requests.reduce((sum, { read }) => sum + read, 0) / done,
  write: requests.reduce((sum, { write }) => sum + write, 0) / done,
});

const number = (value: number): string => String(Number(value.toFixed(2)));
/** A cost as text. */
export const words = ({ requests, read, write }: Cost): string =>
  `${number(requests)} requests, ${number(read)} read and ${number(write)} write units`;
