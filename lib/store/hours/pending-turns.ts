import * as v from "valibot";
import type { Cursor, CursorPlace } from "../cursor.ts";
import { placeBehind, placeOf, type PendingMark, type PendingMarks } from "./pending-marks.ts";

/** How far the marks have been gone through. A place that is older says nothing any more. */
export const pendingPlace: CursorPlace = { table: "aggregates", name: "pending-turns", kept: 86_400 };

/** Marks of one project in one turn. */
const turnSize = 20;

/** Marks read at once. */
const pageSize = 200;

/** Milliseconds after which the place is noted again: a worker that dies of a mark begins behind it, or shortly before it. */
const noteEvery = 1_000;

/** Projects whose place among their own marks is remembered; the others begin with their first. */
const mostPlaces = 100;

/** The project that had its turn last, and the mark that those had last who have more than one turn of them. */
const places = v.object({ after: v.string(), within: v.record(v.string(), v.string()) });

type Places = Readonly<v.InferOutput<typeof places>>;

const placesOf = (text: string | null): Places =>
  text === null ? { after: "", within: {} } : v.parse(places, JSON.parse(text));

const withPlace = ({ within }: Places, { project, name }: PendingMark): Places => {
  const { [project]: _, ...others } = within;
  const kept = Object.fromEntries(Object.entries(others).slice(1 - mostPlaces));
  return { after: project, within: { ...kept, [project]: name } };
};

const withoutPlace = (before: Places, project: string): Places => {
  const { [project]: _, ...within } = before.within;
  return { ...before, within };
};

/**
 * All marks in fair turns: some of each project, then some more of each that has more, from where it was left the last time.
 * However many one project has, and whatever becomes of them, all others have their turn before its next one.
 */
export const pendingTurns = async function* (
  pending: Pick<PendingMarks, "behind">,
  cursor: Cursor,
  now: () => number = Date.now,
): AsyncGenerator<PendingMark> {
  if ((await pending.behind(placeBehind(""), 1)).length === 0) return;
  let [done, notedAt] = [placesOf(await cursor.get()), Number.NEGATIVE_INFINITY];
  const open: string[] = [];

  const turnOf = async function* (project: string, first: readonly PendingMark[]): AsyncGenerator<PendingMark> {
    const name = done.within[project];
    const rest = name === undefined ? [] : await pending.behind(placeOf({ project, name }), turnSize + 1);
    const own = rest.filter((mark) => mark.project === project);
    const marks = own.length === 0 ? first : own;
    for (const mark of marks.slice(0, turnSize)) {
      const next = withPlace(done, mark);
      if (now() - notedAt >= noteEvery) {
        notedAt = now();
        await cursor.set(JSON.stringify(next));
      }
      yield mark;
      done = next;
    }
    if (marks.length > turnSize) open.push(project);
    else done = withoutPlace(done, project);
  };

  const firstTurns = async function* (from: string, to: string | null): AsyncGenerator<PendingMark> {
    for (let place = placeBehind(from); ;) {
      const page = await pending.behind(place, pageSize);
      const last = page.at(-1);
      if (last === undefined) return;
      for (const [project, marks] of Map.groupBy(page, (mark) => mark.project)) {
        if (to !== null && project > to) return;
        // Of the last one the page may have no more than a few.
        const all =
          project === last.project ? await pending.behind(placeOf({ project, name: "" }), turnSize + 1) : marks;
        yield* turnOf(
          project,
          all.filter((mark) => mark.project === project),
        );
      }
      place = placeBehind(last.project);
    }
  };

  try {
    const { after } = done;
    yield* firstTurns(after, null);
    if (after !== "") yield* firstTurns("", after);
    for (let project = open.shift(); project !== undefined; project = open.shift()) yield* turnOf(project, []);
  } finally {
    await cursor.set(JSON.stringify(done));
  }
};
