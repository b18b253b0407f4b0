import * as v from "valibot";
import type { Cursor, CursorLocation } from "../../dynamo/cursor.ts";
import { sortKeyAfterProject, markerSortKey, type PendingMarker, type PendingMarkers } from "./pending-markers.ts";

/** Location of the cursor of `markersInFairTurns`: the last processed marker of each project. Expires after a day. */
export const markerTurnsCursor: CursorLocation = { table: "aggregates", name: "pending-turns", ttlSeconds: 86_400 };

/** Max markers of one project that are processed before the next project's. */
const turnSize = 20;

/** Markers read at once. */
const pageSize = 200;

/**
 * Milliseconds between two saves of the cursor: after a crash the next worker repeats at most the markers of that time.
 */
const saveInterval = 1_000;

/** Max projects whose last processed marker is stored in the cursor; other projects start with their first marker. */
const maxPositions = 100;

/** The project of the latest turn, and the last processed marker of each project with more markers than one turn. */
const positionsSchema = v.object({ after: v.string(), within: v.record(v.string(), v.string()) });

type Positions = Readonly<v.InferOutput<typeof positionsSchema>>;

const parsePositions = (text: string | null): Positions =>
  text === null ? { after: "", within: {} } : v.parse(positionsSchema, JSON.parse(text));

const withPosition = ({ within }: Positions, { project, name }: PendingMarker): Positions => {
  const { [project]: _, ...otherPositions } = within;
  const latestPositions = Object.fromEntries(Object.entries(otherPositions).slice(1 - maxPositions));
  return { after: project, within: { ...latestPositions, [project]: name } };
};

const withoutPosition = (before: Positions, project: string): Positions => {
  const { [project]: _, ...within } = before.within;
  return { ...before, within };
};

/**
 * Yields all pending markers (changed objects whose computed data is outdated), project by project: up to 20 of each
 * project, then up to 20 more of each project that has more, starting from the saved cursor. So a project with many
 * markers, or with markers whose processing fails, does not delay the others.
 */
export const markersInFairTurns = async function* (
  pending: Pick<PendingMarkers, "listAfter">,
  cursor: Cursor,
  now: () => number = Date.now,
): AsyncGenerator<PendingMarker> {
  if ((await pending.listAfter(sortKeyAfterProject(""), 1)).length === 0) return;
  let [progress, savedAt] = [parsePositions(await cursor.get()), Number.NEGATIVE_INFINITY];
  const openProjects: string[] = [];
  let isComplete = false;

  const turnOf = async function* (project: string, first: readonly PendingMarker[]): AsyncGenerator<PendingMarker> {
    const name = progress.within[project];
    const following = name === undefined ? [] : await pending.listAfter(markerSortKey({ project, name }), turnSize + 1);
    const projectMarkers = following.filter((marker) => marker.project === project);
    const markers = projectMarkers.length === 0 ? first : projectMarkers;
    for (const marker of markers.slice(0, turnSize)) {
      const next = withPosition(progress, marker);
      if (now() - savedAt >= saveInterval) {
        savedAt = now();
        await cursor.set(JSON.stringify(next));
      }
      yield marker;
      progress = next;
    }
    if (markers.length > turnSize) openProjects.push(project);
    else progress = withoutPosition(progress, project);
  };

  const firstTurns = async function* (from: string, to: string | null): AsyncGenerator<PendingMarker> {
    for (let place = sortKeyAfterProject(from); ;) {
      const page = await pending.listAfter(place, pageSize);
      const last = page.at(-1);
      if (last === undefined) return;
      for (const [project, markers] of Map.groupBy(page, (marker) => marker.project)) {
        if (to !== null && project > to) return;
        // The page can contain only the first few markers of its last project.
        const projectMarkers =
          project === last.project
            ? await pending.listAfter(markerSortKey({ project, name: "" }), turnSize + 1)
            : markers;
        yield* turnOf(
          project,
          projectMarkers.filter((marker) => marker.project === project),
        );
      }
      place = sortKeyAfterProject(last.project);
    }
  };

  try {
    const { after } = progress;
    yield* firstTurns(after, null);
    if (after !== "") yield* firstTurns("", after);
    for (let project = openProjects.shift(); project !== undefined; project = openProjects.shift())
      yield* turnOf(project, []);
    isComplete = true;
  } finally {
    // Without markers nothing else would remove the names of projects, which may be deleted.
    await cursor.set(isComplete ? null : JSON.stringify(progress));
  }
};
