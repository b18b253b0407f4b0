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

/** A reply that differs from the model. */
export interface Finding {
  readonly operation: Operation;
  readonly differences: readonly string[];
}

/** Number of concurrent requests. */
const lanes = 6;

/** Runs work for each item with limited concurrency; results are in the items' order. */
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
 * Executes operations in the service and in the model. Operations on distinct traces run concurrently; the deletion of
 * a session waits for all earlier ones.
 * @param next returns the next operation; may read the model.
 * @returns replies that differ from the model.
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
    const answerDifferences = await inLanes(wave, async (operation) => {
      const from = Date.now();
      const answer = await request(call, operation);
      return { operation, answer, times: { from, to: Date.now() } };
    });
    for (const { operation, answer, times } of answerDifferences) {
      const answerErrors = apply(model, operation, answer, times);
      if (answerErrors.length > 0) findings.push({ operation, differences: answerErrors });
    }
    wave = [];
  };
  for (let operations = 0; operations < count; operations += 1) {
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
 * Runs all checks, and repeats failing ones until they pass or time is up, as aggregates may lag behind.
 * @param maxMilliseconds time limit of the repetitions.
 */
export const differencesAtRest = async (
  checks: readonly Check[],
  maxMilliseconds: number,
): Promise<readonly string[]> => {
  const deadline = Date.now() + maxMilliseconds;
  let failingChecks = checks;
  for (;;) {
    const results = await inLanes(failingChecks, ({ compare }) => compare());
    failingChecks = failingChecks.filter((_, index) => (results[index] ?? []).length > 0);
    if (failingChecks.length === 0 || Date.now() > deadline) return results.flat();
    await pause(250);
  }
};
