import { setTimeout as pause } from "node:timers/promises";
import { apply, request } from "./apply.ts";
import type { Call } from "./caller.ts";
import type { Check } from "./checks.ts";
import type { Operation } from "./generator/operations.ts";
import type { ModelProject } from "./project.ts";

const touched = (operation: Operation): readonly string[] => {
  if ("traces" in operation) return operation.traces;
  return "trace" in operation ? [operation.trace] : [];
};

/** That the answer to a request is not the model's. */
export interface Finding {
  readonly operation: Operation;
  readonly said: readonly string[];
}

/** Requests at the same time. */
const lanes = 6;

/** Does some work for each item, a few at a time; results are in the order of the items. */
const inLanes = async <Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> => {
  const results: Result[] = [];
  const queue = items.entries();
  const lane = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
};

/**
 * Makes requests, in the service and in the model. Those that touch other traces than the ones before them are made at
 * the same time; the deletion of a session waits for all before it.
 *
 * @param next makes one request after the other; it may look at the model.
 * @returns where answers differ from the model.
 */
export const drive = async (
  call: Call,
  model: ModelProject,
  count: number,
  next: () => Operation,
): Promise<readonly Finding[]> => {
  const findings: Finding[] = [];
  let wave: Operation[] = [];
  const flush = async (): Promise<void> => {
    const done = await inLanes(wave, async (operation) => {
      const from = Date.now();
      const answer = await request(call, operation);
      return { operation, answer, times: { from, to: Date.now() } };
    });
    for (const { operation, answer, times } of done) {
      const found = apply(model, operation, answer, times);
      if (found.length > 0) findings.push({ operation, said: found });
    }
    wave = [];
  };
  for (let made = 0; made < count; made += 1) {
    const operation = next();
    const ids = new Set(wave.flatMap(touched));
    const waits = operation.kind === "delete-session" || touched(operation).some((id) => ids.has(id));
    if (waits || wave.length >= 2 * lanes) await flush();
    wave.push(operation);
    if (operation.kind === "delete-session") await flush();
  }
  await flush();
  return findings;
};

/**
 * Looks at everything, and again at what differs until it does not or time is up: what the streams feed may lag.
 *
 * @param patience milliseconds.
 */
export const settled = async (checks: readonly Check[], patience: number): Promise<readonly string[]> => {
  const deadline = Date.now() + patience;
  let left = checks;
  for (;;) {
    const found = await inLanes(left, ({ look }) => look());
    left = left.filter((_, index) => (found[index] ?? []).length > 0);
    if (left.length === 0 || Date.now() > deadline) return found.flat();
    await pause(250);
  }
};
