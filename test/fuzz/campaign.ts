import { createExperimentRun } from "../../lib/contract/experiments/experiment-runs.ts";
import { createTraces } from "../../lib/contract/traces/batch.ts";
import { setTimeout as wait } from "node:timers/promises";
import type { Route } from "../../lib/contract/route.ts";
import { send, type WireRequest } from "../support/service/client.ts";
import type { Reply } from "../support/reply-shape.ts";
import type { Service } from "../support/service/service.ts";
import { type Attempt, attemptsOf, violationIn } from "./attempts.ts";
import type { Mode } from "./mode.ts";
import { shrink } from "./shrink.ts";
import { violationsOf } from "./requests.ts";
import { type World, worldsOf } from "./worlds.ts";

/** Maximum number of traces in a batch. */
const mostOfBatch = 100;

/** Routes whose request creates many items: a run of an experiment gives scores, too. */
const givesMany: ReadonlySet<string> = new Set([createTraces.id, createExperimentRun.id]);

/** Limits of a campaign; the first one reached ends it. */
export interface Budget {
  readonly seed: number;
  readonly requests: number;
  readonly milliseconds?: number;
  /** Milliseconds after which a reply is too late, if it happens twice in a row; default 5,000. */
  readonly maxMilliseconds?: number;
  /** Number of concurrent requests. */
  readonly parallel?: number;
  /** Index of the only request to send, for the first route. */
  readonly at?: number | undefined;
}

/** Counts of the requests and replies of one route. */
interface Tally {
  readonly route: Route;
  readonly modes: Record<Mode, number>;
  /** Replies by the first digit of the status; 5 also counts replies not made by the service. */
  readonly answers: Record<"2" | "4" | "5", number>;
  readonly times: number[];
}

export interface Failure {
  readonly attempt: Attempt;
  /** The smallest request found that still fails. */
  readonly wire: WireRequest;
  readonly complaint: string;
}

export interface Outcome {
  readonly seed: number;
  readonly tallies: readonly Tally[];
  /** A failure of each sort, at most ten; `complaints` counts all of them. */
  readonly failures: readonly Failure[];
  readonly complaints: number;
  /** Descriptions of items that were stored by refused requests. */
  readonly leftovers: readonly string[];
}

const mostFailures = 10;
const batch = 400;

interface Answer {
  readonly reply: Reply | null;
  readonly complaint: string | null;
  readonly milliseconds: number;
}

/** The route of an address; a static path takes precedence over one with parameters, for any method. */
const routeAt = (routes: readonly Route[], { method, path }: WireRequest): Route | null => {
  const [address = ""] = path.split("?");
  const fits = (route: Route): boolean =>
    new RegExp(`^${route.path.replaceAll(/\{\w+\}/gu, "[^/]+")}$`, "u").test(address);
  const parameters = (route: Route): number => route.path.split("{").length;
  const [nearest] = routes.filter(fits).toSorted((routeA, routeB) => parameters(routeA) - parameters(routeB));
  return routes.find((route) => route.path === nearest?.path && route.method === method) ?? null;
};

const exchange = async (service: Service, routes: readonly Route[], wire: WireRequest): Promise<Answer> => {
  const startedAt = performance.now();
  try {
    const reply = await send(service, { ...wire, route: routeAt(routes, wire) });
    return { reply, complaint: null, milliseconds: performance.now() - startedAt };
  } catch (error) {
    const complaint = error instanceof Error ? error.message : String(error);
    return { reply: null, complaint, milliseconds: performance.now() - startedAt };
  }
};

/** Sends a request, repeatedly while the service asks to retry later, and checks the reply. */
const sendAndCheck = async (
  service: Service,
  routes: readonly Route[],
  attempt: Attempt,
  maxMilliseconds: number,
): Promise<Answer> => {
  for (let [retries, slow] = [0, false]; ;) {
    const answer = await exchange(service, routes, attempt.wire);
    const { reply, complaint, milliseconds } = answer;
    if (complaint !== null || reply === null) return answer;
    if (reply.status === 429 && retries < 10) {
      retries += 1;
      await wait(Number(reply.headers["retry-after"] ?? 1) * 1000);
    } else if (milliseconds > maxMilliseconds && !slow) {
      // A busy machine may be slow once.
      slow = true;
    } else if (milliseconds > maxMilliseconds) {
      return { ...answer, complaint: `took ${Math.round(milliseconds)} ms, and as long before` };
    } else {
      return { ...answer, complaint: violationIn(attempt, reply) };
    }
  }
};

/** Normalizes a complaint by removing ids and numbers, to group equal sorts. */
const sortOf = (complaint: string): string => complaint.replaceAll(/[0-9a-f-]{36}|\d{4,}/gu, "#").slice(0, 90);

/** Yields routes in rotation, in proportion to the number of their possible violations. */
const turns = function* (routes: readonly Route[]): Generator<Route> {
  const passes = routes.map((route) => ({ route, at: 0, step: 1 / (30 + violationsOf(route).length) }));
  for (;;) {
    const [first, ...otherPasses] = passes;
    if (first === undefined) return;
    const next = otherPasses.reduce((earliest, pass) => (pass.at < earliest.at ? pass : earliest), first);
    next.at += next.step;
    yield next.route;
  }
};

/**
 * Sends generated requests and checks every reply.
 * @param allRoutes all routes of the service.
 * @param routes the routes to call.
 */
export const fuzz = async (
  service: Service,
  allRoutes: readonly Route[],
  routes: readonly Route[],
  budget: Budget,
): Promise<Outcome> => {
  const { seed, at, maxMilliseconds = 5_000 } = budget;
  const end = performance.now() + (budget.milliseconds ?? Infinity);
  const worlds = worldsOf(service, allRoutes);
  const tallies = new Map<Route, Tally>();
  const makers = new Map(routes.map((route) => [route, attemptsOf(route, seed, worlds)]));
  const failures = new Map<string, { readonly attempt: Attempt; readonly complaint: string }>();
  const before = new Map<World, Promise<number>>();
  const accepted = new Map<World, number>();
  let complaints = 0;

  const tallyOf = (route: Route): Tally => {
    const existingTally = tallies.get(route);
    if (existingTally !== undefined) return existingTally;
    const newTally = { route, modes: { valid: 0, refused: 0, raw: 0 }, answers: { 2: 0, 4: 0, 5: 0 }, times: [] };
    tallies.set(route, newTally);
    return newTally;
  };

  const runAttempt = async (attempt: Attempt): Promise<void> => {
    const { route, mode, world } = attempt;
    await initialCount(world);
    const { reply, complaint, milliseconds } = await sendAndCheck(service, allRoutes, attempt, maxMilliseconds);
    const tally = tallyOf(route);
    tally.modes[mode] += 1;
    tally.answers[reply === null ? "5" : reply.status < 400 ? "2" : "4"] += 1;
    tally.times.push(milliseconds);
    if (attempt.wire.method !== "GET" && (reply === null || reply.status < 400)) {
      accepted.set(world, (accepted.get(world) ?? 0) + (givesMany.has(route.id) ? mostOfBatch : 1));
    }
    if (complaint === null) return;
    complaints += 1;
    const key = `${route.id} ${mode} ${sortOf(complaint)}`;
    if (failures.size < mostFailures && !failures.has(key)) failures.set(key, { attempt, complaint });
  };

  /** Number of items in a project before its first request, if all its requests may be refused. */
  const initialCount = (world: World): Promise<number> | undefined => {
    if (world.name === "raw read" || world.name.startsWith("valid")) return undefined;
    const pendingCount = before.get(world) ?? world.count();
    before.set(world, pendingCount);
    return pendingCount;
  };

  /** An accepted request creates at most one listed item, a batch at most its maximum. */
  const leftovers = async (): Promise<readonly string[]> => {
    const leftoversByWorld = await Promise.all(
      [...before].map(async ([world, initialItems]) => {
        const [grown, maxGrowth] = [(await world.count()) - (await initialItems), accepted.get(world) ?? 0];
        if (grown <= maxGrowth) return [];
        return [
          `${grown} things were stored in the project "${world.name}", in which ${maxGrowth} requests were accepted`,
        ];
      }),
    );
    return leftoversByWorld.flat();
  };

  const order = turns(routes);
  const indexes = new Map<Route, number>();
  let remaining = at === undefined ? budget.requests : 1;
  let leftoverItems: readonly string[] = [];

  const next = (): Promise<Attempt> | null => {
    const route = order.next().value as Route | undefined;
    if (isOver() || route === undefined) return null;
    remaining -= 1;
    const index = at ?? indexes.get(route) ?? 0;
    indexes.set(route, index + 1);
    return makers.get(route)?.(index) ?? null;
  };

  const work = async (maxAttempts: number): Promise<void> => {
    for (let attempts = 0; attempts < maxAttempts; attempts += 1) {
      const attempt = next();
      if (attempt === null) return;
      await runAttempt(await attempt);
    }
  };

  const parallel = budget.parallel ?? 4;
  const isOver = (): boolean => remaining <= 0 || performance.now() > end;
  do {
    await Promise.all(Array.from({ length: parallel }, () => work(batch / parallel)));
    leftoverItems = await leftovers();
  } while (!isOver() && leftoverItems.length === 0);

  const minimalFailures: Failure[] = [];
  for (const { attempt, complaint } of failures.values()) {
    const wire = await shrink(attempt, async (smaller) => {
      const retriedReply = await sendAndCheck(service, allRoutes, { ...attempt, wire: smaller }, maxMilliseconds);
      return retriedReply.complaint !== null && sortOf(retriedReply.complaint) === sortOf(complaint);
    });
    minimalFailures.push({ attempt, wire, complaint });
  }
  return { seed, tallies: [...tallies.values()], failures: minimalFailures, complaints, leftovers: leftoverItems };
};
