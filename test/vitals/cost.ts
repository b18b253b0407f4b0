import type { CountedRequest } from "./counted-engine.ts";

/** Average cost of one operation. */
export interface Cost {
  readonly requests: number;
  readonly read: number;
  readonly write: number;
}

/** Average cost over `count` operations. */
export const costOf = (requests: readonly CountedRequest[], count: number): Cost => ({
  requests: requests.length / count,
  read: requests.reduce((sum, { read }) => sum + read, 0) / count,
  write: requests.reduce((sum, { write }) => sum + write, 0) / count,
});

const number = (value: number): string => String(Number(value.toFixed(2)));
/** A cost as text. */
export const words = ({ requests, read, write }: Cost): string =>
  `${number(requests)} requests, ${number(read)} read and ${number(write)} write units`;
