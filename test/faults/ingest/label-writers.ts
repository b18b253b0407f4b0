import { randomUUID } from "node:crypto";
import { instantAt } from "../../../lib/domain/instant.ts";
import type { PersonLabels } from "../../../lib/domain/labels/label-set.ts";
import { withLabel, withLease, withPerson } from "../../../lib/domain/labels/queue.ts";
import type { Database } from "../../../lib/dynamo/database.ts";
import { labelSetStore } from "../../../lib/store/labels/sets.ts";
import { labelPublishing } from "../../../lib/store/labels/publish.ts";
import type { Writer } from "./trace-writers.ts";

const createdAt = "2026-10-02T10:00:00+00:00";
const scale = {
  data_type: "BOOLEAN",
  min: null,
  max: null,
  threshold: null,
  levels: [],
  categories: [],
  passing: [],
} as const;

const createSet = async (database: Database, projectId: string): Promise<string> => {
  const metrics = [{ name: "helpful", version: null, scale, description: null, textHash: null }];
  const settings = {
    name: "set",
    metrics,
    draw: "random",
    isRandom: true,
    size: 20,
    labelsPerItem: 1,
    isBlind: true,
  } as const;
  const items = Array.from({ length: 20 }, () => ({ traceId: randomUUID(), version: 1, incarnation: "x" }));
  return (await labelSetStore(database).create({ ...settings, id: randomUUID(), projectId, createdAt }, items)).id;
};

const labels: PersonLabels = {
  labeller: { type: "UPLOAD", id: "Ada" },
  values: { helpful: "true" },
  cannotTell: [],
  note: null,
  createdAt,
};

/** Labels the first item of a set. */
const label = (database: Database, project: string, set: string) =>
  labelSetStore(database).change(project, set, ({ state }) => {
    const [queue, person] = withPerson(state.queue, "Ada") ?? [state.queue, 0];
    const labelled = withLabel(withLease(queue, 0, person, Date.now()), 0, person, Date.now()) ?? queue;
    return { result: true, state: { ...state, queue: labelled }, labels: [[0, person, labels]] };
  });

/** Write operations on label sets, by name. */
export const labelWriters: Readonly<Record<string, Writer>> = {
  "a new label set": async (_, project) => (connection) => createSet(connection, project),

  "a label": async (database, project) => {
    const set = await createSet(database, project);
    return (connection) => label(connection, project, set);
  },

  "closing a label set": async (database, project) => {
    const set = await createSet(database, project);
    await label(database, project, set);
    return async (connection) => {
      await labelSetStore(connection).change(project, set, ({ state }) => ({
        result: true,
        state: { ...state, status: "CLOSING", closedAt: instantAt(Date.now()) },
      }));
      await labelPublishing(connection).publish(project, set, Date.now() + 10_000);
    };
  },

  "the deletion of a label set": async (database, project) => {
    const set = await createSet(database, project);
    await label(database, project, set);
    return (connection) => labelSetStore(connection).delete(project, set);
  },
};
