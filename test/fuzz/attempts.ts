import type { Route } from "../../lib/contract/route.ts";
import type { WireRequest } from "../support/service/client.ts";
import { type Random, seeded } from "../support/random.ts";
import { problems, type Reply } from "../support/reply-shape.ts";
import type { Mode } from "./mode.ts";
import { spoiled } from "./raw-requests.ts";
import { type Refusal, simplestParts, validParts, type Violation, violationsOf, wireOf } from "./requests.ts";
import type { World, Worlds } from "./worlds.ts";

/** One request of a campaign: the same for the same seed, route and index. */
export interface Attempt {
  readonly route: Route;
  readonly index: number;
  readonly mode: Mode;
  /** What is special about it. */
  readonly what: string;
  readonly wire: WireRequest;
  readonly world: World;
  readonly refusal?: Refusal;
}

const shuffled = <Item>(items: readonly Item[], random: Random): readonly Item[] => {
  const mixed = [...items];
  for (let last = mixed.length - 1; last > 0; last -= 1) {
    const other = random.below(last + 1);
    [mixed[last], mixed[other]] = [mixed[other] as Item, mixed[last] as Item];
  }
  return mixed;
};

/** Of 20 requests of a route 5 are valid and 9 have one thing wrong. */
const cycle = 20;
const turns = { valid: 5, refused: 9 };

/** Makes the requests of one route, by their index. */
export const attemptsOf = (route: Route, seed: number, worlds: Worlds): ((index: number) => Promise<Attempt>) => {
  const random = seeded(seed).fork(route.id);
  const violations = shuffled(violationsOf(route), random);

  const modeOf = (turn: number): Mode => {
    if (turn < turns.valid) return "valid";
    return turn < turns.valid + turns.refused && violations.length > 0 ? "refused" : "raw";
  };

  return async (index) => {
    const turn = index % cycle;
    const mode = modeOf(turn);
    const draws = random.fork(index);
    const world = worlds.of(route, mode);
    const params = await world.params(route);
    const attempt = { route, index, mode, world };
    const wire = (parts: ReturnType<typeof simplestParts>) => wireOf(route, parts, world.client.headers);
    if (mode === "valid") return { ...attempt, what: "valid", wire: wire(validParts(route, params, draws)) };
    if (mode === "raw") {
      const good = draws.chance(0.5) ? simplestParts(route, params) : validParts(route, params, draws);
      return { ...attempt, what: "raw", wire: spoiled(wire(good), draws) };
    }
    const number = Math.floor(index / cycle) * turns.refused + turn - turns.valid;
    const { what, change, refusal } = violations[number % violations.length] as Violation;
    return { ...attempt, what, refusal, wire: wire(change(simplestParts(route, params))) };
  };
};

const pointsTo = (reply: Reply, at: string): boolean =>
  problems(reply).some((place) => place === at || place.startsWith(`${at}.`));

/** A thing that is there may be in a state that the request does not fit. */
const mayConflict = ({ method, params }: Route): boolean => method !== "GET" && params !== undefined;

/** Routes whose body names something that has to be there: what is generated is no such thing. */
const namesWhatIsThere = new Set(["createTraceScore", "createSessionScore"]);

/** Routes whose body has to fit the kind of what is changed, which no schema of a body can say. */
const hasToFitItsKind = new Set(["updateMonitor"]);

/** What is wrong with a reply of the right shape, or null. */
export const complaintOf = ({ mode, route, refusal, wire }: Attempt, reply: Reply): string | null => {
  const told = `${reply.status} ${reply.text.slice(0, 300)}`;
  if (mode === "valid") {
    // A dry run is answered 200, whatever a run is.
    const isDry = route.dryRun !== undefined && /[?&]dry_run=true/iu.test(wire.path);
    if (reply.status === (isDry ? 200 : route.success)) return null;
    if (reply.status === 409 && mayConflict(route)) return null;
    if (reply.status === 404 && namesWhatIsThere.has(route.id)) return null;
    if (reply.status === 422 && hasToFitItsKind.has(route.id)) return null;
    return `expected ${route.success} but the answer was ${told}`;
  }
  if (refusal === undefined) return null;
  const { status, at } = refusal;
  if (reply.status !== status) return `expected ${status} but the answer was ${told}`;
  return at === undefined || pointsTo(reply, at) ? null : `expected a problem at ${at} but the answer was ${told}`;
};
