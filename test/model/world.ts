import { seeded } from "../support/random.ts";
import type { Call } from "./caller.ts";
import {
  analyticsChecks,
  detailChecks,
  sessionDetailChecks,
  sessionListChecks,
  traceListChecks,
  userChecks,
  type Check,
  type ModelWorld,
} from "./checks.ts";
import { drive, differencesAtRest } from "./drive.ts";
import { allShares, someOperation, type Shares } from "./generator/operations.ts";
import { somePools } from "./generator/pools.ts";
import { modelProject } from "./project.ts";

/** Numbers of operations and checks for one project. */
export interface Size {
  readonly operations: number;
  /** Number of trace ids that the operations share. */
  readonly traces: number;
  /** Number of random queries for each kind of list. */
  readonly questions: number;
  /** Milliseconds within which lagging aggregates must be correct. */
  readonly maxMilliseconds: number;
}

/** All checks of a project, with random queries of each kind. */
export const checksOf = (world: ModelWorld, questions: number): readonly Check[] => [
  ...detailChecks(world),
  ...traceListChecks(world, 2 * questions),
  ...sessionListChecks(world, questions),
  ...sessionDetailChecks(world),
  ...userChecks(world, 3),
  ...analyticsChecks(world, 2 * questions),
];

/**
 * Sends random requests to an empty project and compares all replies with the model.
 * @returns the differences, one line each.
 */
export const compareWithModel = async (
  call: Call,
  seed: number,
  { operations, traces, questions, maxMilliseconds }: Size,
  shares: Shares = allShares,
  only: (check: Check) => boolean = () => true,
): Promise<readonly string[]> => {
  const random = seeded(seed);
  const [pools, model] = [somePools(random.fork("pools"), traces), modelProject()];
  const order = random.fork("operations");
  const spansOf = (trace: string): readonly string[] => [...(model.trace(trace)?.spans.keys() ?? [])];
  const findings = await drive(call, model, operations, () => someOperation(order, pools, shares, spansOf));
  const answers = findings.flatMap(({ operation, differences }) =>
    differences.concat(`  after ${JSON.stringify(operation).slice(0, 3000)}`),
  );
  const world: ModelWorld = { call, model, pools, random: random.fork("questions") };
  return [...answers, ...(await differencesAtRest(checksOf(world, questions).filter(only), maxMilliseconds))];
};
