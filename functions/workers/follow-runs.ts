import { awaitAll } from "../../lib/async/concurrency.ts";
import { followOutbox } from "../../lib/events/follow-outbox.ts";
import { environmentAnnouncer } from "../../lib/wiring/events.ts";
import { required, variables } from "../../lib/wiring/environment.ts";
import { dispatch } from "../../lib/evaluation/start/dispatch.ts";
import { purgeRunsPromptly, runPurge } from "../../lib/evaluation/maintenance/purge-run.ts";
import { judgeQueue } from "../../lib/queue/judge-queue.ts";
import { existingProjects } from "../../lib/store/access/existing-projects.ts";
import { counterStore } from "../../lib/store/totals/counters.ts";
import { organizationsOfProjects } from "../../lib/store/access/organizations-of-projects.ts";
import { connect } from "../../lib/dynamo/database.ts";
import { runEndNotes } from "../../lib/monitors/note-run-ends.ts";
import { alertStateStore } from "../../lib/store/alerts/states.ts";
import { monitorStore } from "../../lib/store/monitors/monitors.ts";
import { runDeletion } from "../../lib/store/runs/deletion.ts";
import { rotationStore } from "../../lib/store/runs/rotations.ts";
import { runStore } from "../../lib/store/runs/runs.ts";
import { scoreRemoval } from "../../lib/store/scores/removal.ts";
import { runWindow } from "../../lib/stream/run-window.ts";
import type { WindowEvent } from "../../lib/stream/window-event.ts";
import { withStreamLag } from "../../lib/stream/stream-lag.ts";

const database = connect();
const runs = runStore(database);
const deletion = runDeletion(database, runs);
const purge = runPurge({ deletion, scores: scoreRemoval(database), now: Date.now });
const organizationOf = organizationsOfProjects(database);
const turns = rotationStore(database, organizationOf);
const queue = judgeQueue(required(variables.judgeQueueUrl));

const start = async (project: string, run: string): Promise<void> => {
  const storedRun = await runs.read(project, run);
  if (storedRun?.run.status === "PENDING") await dispatch(storedRun, { runs, queue, turns });
};

const follow = runWindow(
  {
    start,
    end: (project, run) => turns.leave(project, run),
    note: runEndNotes({ monitors: monitorStore(database), states: alertStateStore(database) }),
    purge: purgeRunsPromptly(deletion, purge),
  },
  counterStore(database),
  existingProjects(database),
);

const announce = followOutbox(runs, environmentAnnouncer(organizationOf));

/**
 * Dispatches new runs to the judge queue, keeps the places of runs in their rotations, counters and alerts of monitors up to date,
 * purges deleted runs, and announces events, from the records of a table stream. What a repeated batch announces again has the same ids.
 */
export const handler = withStreamLag("follow-runs", async (event: WindowEvent) => {
  const state = follow(event);
  await awaitAll<unknown>([state, announce(event.Records ?? [])]);
  return await state;
});
