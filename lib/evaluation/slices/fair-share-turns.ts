import { faultFields, logLine } from "../../log.ts";
import type { SliceMessage } from "../../queue/slice-message.ts";
import { isTerminal } from "../../domain/runs/run.ts";
import type { Runs } from "../../store/runs/runs.ts";
import type { StoredSlice } from "../../store/runs/slice-codec.ts";
import type { FairTurns, Place } from "../../store/runs/fair-turns.ts";
import { modelOutages, type ModelAnswers } from "./model-outages.ts";

/** Milliseconds that a worker works for one project while another project waits. */
const turnMilliseconds = 15_000;

/** Milliseconds between two checks for waiting projects. */
const checkIntervalMilliseconds = 5_000;

/** Organizations, and projects of each, that one search looks into for a free slice, at most. */
const maxSearched = 5;

/** Slices of a run that are read in search of a free slice, from a random position. */
const sliceWindow = 20;

/** Milliseconds after which a run is searched again whose next free slice is not known. */
const unknownMilliseconds = 60_000;

/** Milliseconds after which a run without slices to judge is searched again, if its place was not removed. */
const closedMilliseconds = 3_600_000;

/** Min milliseconds between two searches of a run without a free slice. */
const minPauseMilliseconds = 5_000;

/** Fair-share turn of a worker: the time in which it works for one project. */
export interface Turn {
  /** Message of the slice that the worker works on. */
  readonly message: SliceMessage;
  /** True if the worker has received the message of another slice. */
  readonly isBorrowed: boolean;
  /** True if the worker must yield to a waiting project: no further judgement starts. */
  readonly isOver: () => boolean;
  /** Notes which models answered: runs whose model does not answer come after all others. */
  readonly noteAnswers: (answers: ModelAnswers) => void;
}

export interface TurnDependencies {
  readonly turns: FairTurns;
  readonly runs: Pick<Runs, "read" | "slices">;
  readonly now: () => number;
  readonly random?: () => number;
}

/** True if a slice can be leased and its own message still exists, so that a later delivery continues the work. */
export const isFree = ({ slice, until, asleep, sentAt }: StoredSlice, now: number): boolean =>
  slice.state === "open" && until <= now && (!asleep || (sentAt !== null && sentAt >= until));

/** Runs `work` for the slice of a message, or for a borrowed slice of an organization or project that has waited longer. */
export type RunInTurn = <Result>(message: SliceMessage, work: (turn: Turn) => Promise<Result>) => Promise<Result>;

/** Result of a search for a free slice: its message, or the instant (epoch milliseconds) of the next search. */
type Search = SliceMessage | number;

/**
 * Distributes workers fairly over organizations, and within each over its projects, independent of the queue order. A message
 * only starts a worker; the worker takes a slice of the organization whose last turn is oldest, there of the project whose last
 * turn is oldest. After 15 s a worker yields if another one waits; one worker yields every five seconds. A run whose model has
 * not answered this process comes after all others for a while: each of its slices would hold a worker until its calls time
 * out. The cost is two reads if only one project has open runs, and does not grow with the number of open runs.
 */
export const fairShareTurns = ({ turns, runs, now, random = Math.random }: TurnDependencies): RunInTurn => {
  const outages = modelOutages(now);

  const dueOf = (places: readonly Place[], before = now()): readonly Place[] =>
    places.filter(({ dueAt }) => dueAt <= before);

  /** Earliest instant at which one of the slices may be free. */
  const nextFreeAt = (slices: readonly StoredSlice[], isPart: boolean): number => {
    const untils = slices.flatMap(({ slice, until }) => (slice.state === "open" && until > now() ? [until] : []));
    const unknown = isPart || untils.length === 0 ? now() + unknownMilliseconds : Number.POSITIVE_INFINITY;
    return Math.max(now() + minPauseMilliseconds, Math.min(unknown, ...untils));
  };

  const searchRun = async (project: string, run: string): Promise<Search> => {
    const storedRun = await runs.read(project, run);
    if (storedRun === null || storedRun.isCreating || isTerminal(storedRun.run.status) || storedRun.slices === 0)
      return now() + closedMilliseconds;
    const awayUntil = outages.until(storedRun.run.order);
    if (awayUntil > now()) return awayUntil;
    const { sequential } = storedRun.run.order;
    const from = Math.floor(random() * Math.max(1, storedRun.slices - sliceWindow + 1));
    const range = sequential ? undefined : ([from, from + sliceWindow - 1] as const);
    const open = (await runs.slices(project, run, storedRun.attempt, range)).filter(
      ({ slice }) => slice.state === "open",
    );
    const candidates = sequential ? open.slice(0, 1) : open;
    const free = candidates.filter((slice) => isFree(slice, now()));
    const randomSlice = free[Math.floor(random() * free.length)];
    if (randomSlice !== undefined) return { project, run, slice: randomSlice.slice.id };
    return nextFreeAt(candidates, !sequential && storedRun.slices > sliceWindow);
  };

  /**
   * Searches the due places of a rotation in turn. Places without a free slice are postponed until they may have one.
   *
   * @param isTaking true if the first place with a free slice gets a turn; false for a check only.
   */
  const searchPlaces = async (
    places: readonly Place[],
    isTaking: boolean,
    search: (place: Place) => Promise<Search>,
  ): Promise<Search> => {
    const due = dueOf(places);
    const instants = places.filter((place) => !due.includes(place)).map(({ dueAt }) => dueAt);
    let [searched, isComplete] = [0, true];
    for (const place of due) {
      if (searched === maxSearched) return now();
      // A place that has no other beside it is not moved: there is nobody to wait for it.
      const turn = isTaking && places.length > 1 ? await turns.take(place) : place;
      if (turn === null) {
        isComplete = false;
        continue;
      }
      searched += 1;
      const result = await search(turn);
      if (typeof result !== "number") return result;
      instants.push(result);
      if (result > now()) await turns.postpone(turn, result);
    }
    if (!isComplete) return now();
    return instants.length === 0 ? now() + unknownMilliseconds : Math.min(...instants);
  };

  /** Searches a project; its result is `received` if that is a message of the project. */
  const searchProject =
    (isTaking: boolean, received?: SliceMessage) =>
    async ({ id: project }: Place): Promise<Search> => {
      if (project === received?.project) return received;
      return await searchPlaces(await turns.runs(project), isTaking, ({ id }) => searchRun(project, id));
    };

  const searchOrganization =
    (isTaking: boolean, received?: SliceMessage) =>
    async ({ id }: Place): Promise<Search> =>
      await searchPlaces(await turns.projects(id), isTaking, searchProject(isTaking, received));

  const isAway = async ({ project, run }: SliceMessage): Promise<boolean> => {
    const storedRun = outages.hasAny() ? await runs.read(project, run) : null;
    return storedRun !== null && outages.until(storedRun.run.order) > now();
  };

  /** Chooses the slice for a worker that has received a message: the slice of the message, or one that has waited longer. */
  const chooseSlice = async (received: SliceMessage): Promise<SliceMessage> => {
    const isLast = await isAway(received);
    // Searching on is cheaper than a delivery that waits for time-outs; each search postpones other places.
    for (let searches = isLast ? maxSearched : 1; searches > 0; searches -= 1) {
      const organizations = await turns.organizations();
      const result = await searchPlaces(organizations, true, searchOrganization(true, isLast ? undefined : received));
      if (typeof result !== "number") return result;
      if (result > now()) break;
    }
    return received;
  };

  /** Returns the first place, due before an instant, that has a free slice; null if there is none. */
  const waitingPlace = async (
    places: readonly Place[],
    ownId: string,
    before: number,
    search: (place: Place) => Promise<Search>,
  ): Promise<Place | null> => {
    const waiting = dueOf(places, before).filter(({ id }) => id !== ownId);
    for (const place of waiting.slice(0, maxSearched)) {
      const result = await search(place);
      if (typeof result !== "number") return place;
      if (result > now()) await turns.postpone(place, result);
    }
    return null;
  };

  const mustYield = async ({ project, run }: SliceMessage, begunAt: number): Promise<boolean> => {
    const organization = await turns.organizationOf(project, run);
    if (organization === null) return false;
    const organizations = await turns.organizations();
    const projects = await turns.projects(organization);
    const waiting =
      (await waitingPlace(organizations, organization, begunAt, searchOrganization(false))) ??
      (await waitingPlace(projects, project, begunAt, searchProject(false)));
    if (waiting === null || !(await turns.yieldPlace(waiting))) return false;
    // The place that waits comes first, even if the own one has not moved while it was the only one.
    const ownPlaces = [
      ...organizations.filter(({ id }) => id === organization),
      ...projects.filter(({ id }) => id === project),
    ];
    for (const place of ownPlaces) await turns.take(place);
    return true;
  };

  return async (received, work) => {
    const message = await chooseSlice(received);
    const begunAt = now();
    let [isOver, nextCheckAt] = [false, begunAt + turnMilliseconds];
    let pendingCheck: Promise<void> = Promise.resolve();

    const checkTurn = async (): Promise<void> => {
      try {
        isOver = await mustYield(message, begunAt);
      } catch (error) {
        // The next check lets the waiting project in.
        logLine("turn_not_seen", faultFields(error));
      }
    };

    try {
      return await work({
        message,
        isBorrowed: message !== received,
        noteAnswers: outages.note,
        isOver: () => {
          if (!isOver && now() >= nextCheckAt) {
            nextCheckAt = now() + checkIntervalMilliseconds;
            pendingCheck = checkTurn();
          }
          return isOver;
        },
      });
    } finally {
      await pendingCheck;
    }
  };
};
