import { createTraces } from "../../lib/contract/traces/batch.ts";
import { setTimeout as wait } from "node:timers/promises";
import type { Route } from "../../lib/contract/route.ts";
import { send, type WireRequest } from "../support/service/client.ts";
import type { Reply } from "../support/reply-shape.ts";
import type { Service } from "../support/service/service.ts";
import { type Attempt, attemptsOf, complaintOf } from "./attempts.ts";
import type { Mode } from "./mode.ts";
import { shrunk } from "./shrink.ts";
import { violationsOf } from "./requests.ts";
import { type World, worldsOf } from "./worlds.ts";

/** Traces of one batch. */
const mostOfBatch = 100;

/** How long a campaign goes on: whatever ends first. */
export interface Budget {
  readonly seed: number;
  readonly requests: number;
  readonly milliseconds?: number;
  /** Milliseconds after which an answer is too late, twice in a row; 5,000 when absent. */
  readonly patience?: number;
  /** Requests at a time. */
  readonly parallel?: number;
  /** Only this request, of the first of the routes. */
  readonly at?: number | undefined;
}

/** What became of the requests of one route. */
interface Tally {
  readonly route: Route;
  readonly modes: Record<Mode, number>;
  /** By the first digit of the status; 5 is every answer that is none of ours. */
  readonly answers: Record<"2" | "4" | "5", number>;
  readonly times: number[];
}

export interface Failure {
  readonly attempt: Attempt;
  /** The least that still fails. */
  readonly wire: WireRequest;
  readonly complaint: string;
}

export interface Outcome {
  readonly seed: number;
  readonly tallies: readonly Tally[];
  /** One for each sort, at most ten; `complaints` counts them all. */
  readonly failures: readonly Failure[];
  readonly complaints: number;
  /** What was stored that should not have been. */
  readonly leftovers: readonly string[];
}

const mostFailures = 10;
const batch = 400;

interface Answer {
  readonly reply: Reply | null;
  readonly complaint: string | null;
  readonly milliseconds: number;
}

/** The route of an address: a path that names it in full is meant before one with parameters, whatever its methods. */
const routeAt = (routes: readonly Route[], { method, path }: WireRequest): Route | null => {
  const [address = ""] = path.split("?");
  const fits = (route: Route): boolean =>
    new RegExp(`^${route.path.replaceAll(/\{\w+\}/gu, "[^/]+")}$`, "u").test(address);
  const parameters = (route: Route): number => route.path.split("{").length;
  const [nearest] = routes.filter(fits).toSorted((one, other) => parameters(one) - parameters(other));
  return routes.find((route) => route.path === nearest?.path && route.method === method) ?? null;
};

const exchange = async (service: Service, routes: readonly Route[], wire: WireRequest): Promise<Answer> => {
  const begun = performance.now();
  try {
    const reply = await send(service, { ...wire, route: routeAt(routes, wire) });
    return { reply, complaint: null, milliseconds: performance.now() - begun };
  } catch (error) {
    const complaint = error instanceof Error ? error.message : String(error);
    return { reply: null, complaint, milliseconds: performance.now() - begun };
  }
};

/** Sends a request until it is not told to come back later, and judges the answer. */
const tried = async (
  service: Service,
  routes: readonly Route[],
  attempt: Attempt,
  patience: number,
): Promise<Answer> => {
  for (let [told, slow] = [0, false]; ;) {
    const answer = await exchange(service, routes, attempt.wire);
    const { reply, complaint, milliseconds } = answer;
    if (complaint !== null || reply === null) return answer;
    if (reply.status === 429 && told < 10) {
      told += 1;
      await wait(Number(reply.headers["retry-after"] ?? 1) * 1000);
    } else if (milliseconds > patience && !slow) {
      // A machine that is busy is slow once.
      slow = true;
    } else if (milliseconds > patience) {
      return { ...answer, complaint: `took ${Math.round(milliseconds)} ms, and as long before` };
    } else {
      return { ...answer, complaint: complaintOf(attempt, reply) };
    }
  }
};

/** What two complaints of one sort have in common. */
const sortOf = (complaint: string): string => complaint.replaceAll(/[0-9a-f-]{36}|\d{4,}/gu, "#").slice(0, 90);

/** Requests of one route that follow each other, so that its function stays warm. */
const stretch = 20;

/** In turn, in proportion to what there is to try. */
const turns = function* (routes: readonly Route[]): Generator<Route> {
  const passes = routes.map((route) => ({ route, at: 0, step: 1 / (30 + violationsOf(route).length) }));
  for (;;) {
    const [first, ...others] = passes;
    if (first === undefined) return;
    const next = others.reduce((least, pass) => (pass.at < least.at ? pass : least), first);
    next.at += next.step;
    for (let count = 0; count < stretch; count += 1) yield next.route;
  }
};

/**
 * Sends generated requests and checks every answer.
 *
 * @param allRoutes what the service has.
 * @param routes what is called.
 */
export const fuzz = async (
  service: Service,
  allRoutes: readonly Route[],
  routes: readonly Route[],
  budget: Budget,
): Promise<Outcome> => {
  const { seed, at, patience = 5_000 } = budget;
  const end = performance.now() + (budget.milliseconds ?? Infinity);
  const worlds = worldsOf(service, allRoutes);
  const tallies = new Map<Route, Tally>();
  const makers = new Map(routes.map((route) => [route, attemptsOf(route, seed, worlds)]));
  const failures = new Map<string, { readonly attempt: Attempt; readonly complaint: string }>();
  const before = new Map<World, Promise<number>>();
  const accepted = new Map<World, number>();
  let complaints = 0;

  const tallyOf = (route: Route): Tally => {
    const known = tallies.get(route);
    if (known !== undefined) return known;
    const made = { route, modes: { valid: 0, refused: 0, raw: 0 }, answers: { 2: 0, 4: 0, 5: 0 }, times: [] };
    tallies.set(route, made);
    return made;
  };

  const one = async (attempt: Attempt): Promise<void> => {
    const { route, mode, world } = attempt;
    await counted(world);
    const { reply, complaint, milliseconds } = await tried(service, allRoutes, attempt, patience);
    const tally = tallyOf(route);
    tally.modes[mode] += 1;
    tally.answers[reply === null ? "5" : reply.status < 400 ? "2" : "4"] += 1;
    tally.times.push(milliseconds);
    if (attempt.wire.method !== "GET" && (reply === null || reply.status < 400)) {
      accepted.set(world, (accepted.get(world) ?? 0) + (route.id === createTraces.id ? mostOfBatch : 1));
    }
    if (complaint === null) return;
    complaints += 1;
    const key = `${route.id} ${mode} ${sortOf(complaint)}`;
    if (failures.size < mostFailures && !failures.has(key)) failures.set(key, { attempt, complaint });
  };

  /** What a project whose requests may all be refused holds before the first of them. */
  const counted = (world: World): Promise<number> | undefined => {
    if (world.name === "raw read" || world.name.startsWith("valid")) return undefined;
    const known = before.get(world) ?? world.count();
    before.set(world, known);
    return known;
  };

  /** A request that is accepted makes one thing that is listed, at most; a batch as many as it may hold. */
  const leftovers = async (): Promise<readonly string[]> => {
    const found = await Promise.all(
      [...before].map(async ([world, held]) => {
        const [grown, most] = [(await world.count()) - (await held), accepted.get(world) ?? 0];
        if (grown <= most) return [];
        return [`${grown} things were stored in the project "${world.name}", in which ${most} requests were accepted`];
      }),
    );
    return found.flat();
  };

  const order = turns(routes);
  const indexes = new Map<Route, number>();
  let left = at === undefined ? budget.requests : 1;
  let stored: readonly string[] = [];

  const next = (): Promise<Attempt> | null => {
    const route = order.next().value as Route | undefined;
    if (isOver() || route === undefined) return null;
    left -= 1;
    const index = at ?? indexes.get(route) ?? 0;
    indexes.set(route, index + 1);
    return makers.get(route)?.(index) ?? null;
  };

  const work = async (most: number): Promise<void> => {
    for (let sent = 0; sent < most; sent += 1) {
      const attempt = next();
      if (attempt === null) return;
      await one(await attempt);
    }
  };

  const parallel = budget.parallel ?? 4;
  const isOver = (): boolean => left <= 0 || performance.now() > end;
  do {
    await Promise.all(Array.from({ length: parallel }, () => work(batch / parallel)));
    stored = await leftovers();
  } while (!isOver() && stored.length === 0);

  const least: Failure[] = [];
  for (const { attempt, complaint } of failures.values()) {
    const wire = await shrunk(attempt, async (smaller) => {
      const again = await tried(service, allRoutes, { ...attempt, wire: smaller }, patience);
      return again.complaint !== null && sortOf(again.complaint) === sortOf(complaint);
    });
    least.push({ attempt, wire, complaint });
  }
  return { seed, tallies: [...tallies.values()], failures: least, complaints, leftovers: stored };
};
