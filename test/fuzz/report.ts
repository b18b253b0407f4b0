import Table from "cli-table3";
import type { Failure, Outcome } from "./campaign.ts";

const quantile = (sorted: readonly number[], share: number): string =>
  (sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0).toFixed(1);

/** A table with the requests, replies and times of each route. */
export const summary = ({ tallies }: Outcome): string => {
  const head = ["route", "valid", "violations", "raw", "2xx", "4xx", "5xx", "p50 ms", "p99 ms"];
  const table = new Table({ head, style: { head: [], border: [] } });
  for (const { route, modes, answers, times } of tallies) {
    const sorted = times.toSorted((a, b) => a - b);
    table.push([
      `${route.method} ${route.path}`,
      modes.valid,
      modes.refused,
      modes.raw,
      answers[2],
      answers[4],
      answers[5],
      quantile(sorted, 0.5),
      quantile(sorted, 0.99),
    ]);
  }
  return table.toString();
};

const secret = /^(?:x-api-key|authorization)$/iu;

const excerpt = (bytes: string | Uint8Array | undefined): string => {
  if (bytes === undefined) return "";
  const text = Buffer.from(bytes).toString();
  return text.length <= 600 ? text : `${text.slice(0, 600)}... (${Buffer.byteLength(bytes)} bytes)`;
};

const failureText = (seed: number, { attempt, wire, complaint }: Failure): string => {
  const headers = Object.entries(wire.headers ?? {}).filter(([name]) => !secret.test(name));
  return [
    `${attempt.description}: ${complaint.slice(0, 1000)}`,
    "",
    `  ${wire.method} ${wire.path.slice(0, 600)}`,
    ...headers.map(([name, value]) => `  ${name}: ${String(value).slice(0, 200)}`),
    `  ${excerpt(wire.bytes)}`,
    "",
    `  again: npm run fuzz -- --seed ${seed} --route ${attempt.route.id} --at ${attempt.index}`,
  ].join("\n");
};

/** Failures with the smallest failing request and the command to repeat it; empty on success. */
export const faults = ({ seed, failures, leftovers }: Outcome): readonly string[] => [
  ...leftovers.map((leftover) => `seed ${seed}: ${leftover}`),
  ...failures.map((failure) => failureText(seed, failure)),
];
