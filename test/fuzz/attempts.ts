import type { Route } from "../../lib/contract/route.ts";
import type { WireRequest } from "../support/service/client.ts";
import { type Random, seeded } from "../support/random.ts";
import { problems, type Reply } from "../support/reply-shape.ts";
import type { Mode } from "./mode.ts";
import { corruptRequest } from "./raw-requests.ts";
import { type Refusal, simplestParts, validParts, type Violation, violationsOf, wireOf } from "./requests.ts";
import type { World, Worlds } from "./worlds.ts";

/** A request of a campaign, determined by seed, route and index. */
export interface Attempt {
  readonly route: Route;
  readonly index: number;
  readonly mode: Mode;
  /** Description of the request's peculiarity. */
  readonly description: string;
  readonly wire: WireRequest;
  readonly world: World;
  readonly refusal?: Refusal;
}

const shuffled = <Item>(items: readonly Item[], random: Random): readonly Item[] => {
  const mixed = [...items];
  for (let last = mixed.length - 1; last > 0; last -= 1) {
    const otherIndex = random.below(last + 1);
    [mixed[last], mixed[otherIndex]] = [mixed[otherIndex] as Item, mixed[last] as Item];
  }
  return mixed;
};

/** Of every 20 requests of a route, 5 are valid and 9 have one error; successive requests are of different modes. */
const cycle = 20;
const stride = 7;
const turns = { valid: 5, refused: 9 };

/** Creates a function that returns a route's requests by index. */
export const attemptsOf = (route: Route, seed: number, worlds: Worlds): ((index: number) => Promise<Attempt>) => {
  const random = seeded(seed).fork(route.id);
  const violations = shuffled(violationsOf(route), random);

  const modeOf = (turn: number): Mode => {
    if (turn < turns.valid) return "valid";
    return turn < turns.valid + turns.refused && violations.length > 0 ? "refused" : "raw";
  };

  return async (index) => {
    const turn = (index * stride) % cycle;
    const mode = modeOf(turn);
    const draws = random.fork(index);
    const world = worlds.of(route, mode);
    const params = await world.params(route);
    const attempt = { route, index, mode, world };
    const wire = (parts: ReturnType<typeof simplestParts>) => wireOf(route, parts, world.client.headers);
    if (mode === "valid") return { ...attempt, description: "valid", wire: wire(validParts(route, params, draws)) };
    if (mode === "raw") {
      const good = draws.chance(0.5) ? simplestParts(route, params) : validParts(route, params, draws);
      return { ...attempt, description: "raw", wire: corruptRequest(wire(good), draws) };
    }
    const number = Math.floor(index / cycle) * turns.refused + turn - turns.valid;
    const { description, change, refusal } = violations[number % violations.length] as Violation;
    return { ...attempt, description, refusal, wire: wire(change(simplestParts(route, params))) };
  };
};

const pointsTo = (reply: Reply, at: string): boolean =>
  problems(reply).some((place) => place === at || place.startsWith(`${at}.`));

/** Refusals of valid requests by route id: their bodies depend on existing items, which no schema of a body expresses. */
const permittedRefusals: Readonly<Record<string, number | readonly number[]>> = {
  /** A gallery has few names, which may exist. */
  copyGalleryMetric: 409,
  /** The scored item does not exist. */
  createTraceScore: 404,
  createSessionScore: 404,
  putTraceScore: 404,
  putSessionScore: 404,
  /** The dataset of that name does not exist. */
  createLangfuseDatasetItem: 404,
  listLangfuseDatasetItems: 404,
  /** The item does not exist, or the trace has no id: the same schema as in fields that may be absent. */
  createLangfuseDatasetRunItem: [404, 422],
  /** The experiment does not exist. */
  approveExperiment: 404,
  compareExperiments: 404,
  /** A set needs twenty traces, and labels and trust a trace and a metric of the set. */
  createLabelSet: 422,
  uploadLabels: 422,
  computeTrust: 422,
  listLabelItems: [404, 422],
  getTrust: 404,
  /** Words are found newest first. */
  listTraces: 422,
  /** What is asked about a person makes no project of a misspelt name. */
  eraseUser: 404,
  exportUser: 404,
  /** A range of exports has at most 100 days, and begins before it ends. */
  listExportDays: 422,
  createExport: 422,
  /** The range may begin before 1971. */
  previewAlert: 422,
  /** The body has to fit the kind of the monitor. */
  updateMonitor: 422,
};

/** True for routes whose target may be in a state that conflicts with the request. */
const mayConflict = ({ method, params }: Route): boolean => method !== "GET" && params !== undefined;

/** Length in bytes above which the gateway may refuse an address. */
const maxAddress = 8_000;

/** A request's body, undefined if it is no JSON. */
export const parsed = (bytes: WireRequest["bytes"]): unknown => {
  try {
    return JSON.parse(Buffer.from(bytes ?? "").toString());
  } catch {
    return undefined;
  }
};

/** True if a request asks for a dry run, in its query or its body. */
const isDryRun = ({ path, bytes }: WireRequest): boolean =>
  /[?&]dry_run=(?:true|1)(?:&|$)/iu.test(path) || Object(parsed(bytes)).dry_run === true;

/** Describes the error in a well-formed reply, or returns null. */
export const violationIn = ({ mode, route, refusal, wire }: Attempt, reply: Reply): string | null => {
  const replySummary = `${reply.status} ${reply.text.slice(0, 300)}`;
  if (mode === "valid") {
    // A dry run is answered with 200, also where the route usually answers with another status.
    const isDry = route.dryRun !== undefined && isDryRun(wire);
    if (reply.status === (isDry ? 200 : route.success)) return null;
    if (reply.status === 431 && wire.path.length > maxAddress) return null;
    if (reply.status === 409 && mayConflict(route)) return null;
    if ([permittedRefusals[route.id] ?? []].flat().includes(reply.status)) return null;
    return `expected ${route.success} but the answer was ${replySummary}`;
  }
  if (refusal === undefined) return null;
  const { status, at } = refusal;
  if (reply.status !== status) return `expected ${status} but the answer was ${replySummary}`;
  return at === undefined || pointsTo(reply, at)
    ? null
    : `expected a problem at ${at} but the answer was ${replySummary}`;
};
