import { randomBytes } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import type { Pace } from "./ask.ts";
import { createConnections } from "./connections.ts";
import type { Judge } from "./judge.ts";
import type { Metric } from "./metric.ts";
import type { ParameterNames, ReadParameter } from "./provider-settings.ts";
import { targetJudge, type Bench } from "./target-judge.ts";

/** What a judge is made of. Time, chance and limits have defaults that a test replaces. */
export interface JudgeDependencies {
  readonly metrics: readonly Metric[];
  readonly providers: ParameterNames;
  readonly parameter: ReadParameter;
  readonly pace?: Partial<Pace>;
  readonly nonce?: () => string;
  /** Characters of a transcript, default 60,000: about 15,000 tokens. */
  readonly budget?: number;
}

const realPace: Pace = {
  now: Date.now,
  sleep: async (milliseconds, signal) => {
    await wait(milliseconds, undefined, signal === undefined ? {} : { signal }).catch(() => null);
  },
  random: Math.random,
  longestCall: 60_000,
};

/** The judge over the configured providers. `readiness` rejects when the settings themselves could not be read. */
export const createJudge = (dependencies: JudgeDependencies): Judge => {
  const pace = { ...realPace, ...dependencies.pace };
  const connect = createConnections(dependencies.providers, dependencies.parameter, pace.now);
  const bench: Bench = {
    connect,
    pace,
    metrics: new Map(dependencies.metrics.map((metric) => [metric.name, metric])),
    nonce: dependencies.nonce ?? (() => randomBytes(16).toString("hex")),
    budget: dependencies.budget ?? 60_000,
  };
  return {
    readiness: async (model) => {
      const connection = await connect(model);
      return connection.ready ? { ready: true } : { ready: false, message: connection.message };
    },
    target: (request) => targetJudge(bench, request),
  };
};
