import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { noProvenance } from "../../../lib/domain/traces/provenance.ts";
import type { TraceRow } from "../../../lib/domain/traces/row.ts";
import { followEnvironments } from "../../../lib/stream/environment-changes.ts";
import { followExperiments } from "../../../lib/stream/experiment-changes.ts";
import { rowRecord } from "../../support/alerts/workers.ts";
import { seeded } from "../../support/random.ts";
import { generateRow } from "../../support/traces/generate-row.ts";

const [living, deleted] = [randomUUID(), randomUUID()];
const alive = async () => new Set([living]);
const row = { ...generateRow(seeded(1), Date.parse("2026-11-21T09:00:00Z")), traceId: randomUUID() };

const withEnvironment = (environment: string | null): TraceRow => ({ ...row, environment });

test.each<[what: string, project: string, before: TraceRow | null, after: TraceRow | null, isHandedOn: boolean]>([
  ["tells it only now", living, withEnvironment(null), withEnvironment("prod"), true],
  ["has moved to another key, which may tell it", living, withEnvironment(null), null, true],
  ["is new", living, null, withEnvironment("prod"), false],
  ["has told it before", living, withEnvironment("dev"), withEnvironment("prod"), false],
  ["does not tell it yet", living, withEnvironment(null), withEnvironment(null), false],
  ["is of a deleted project", deleted, withEnvironment(null), withEnvironment("prod"), false],
])("scores of a trace that %s: their environment is looked up: %#", async (_, project, before, after, isHandedOn) => {
  const traces: string[] = [];
  const follow = followEnvironments(async (__, trace) => void traces.push(trace), alive);

  await follow([rowRecord(project, row.traceId, before, after), rowRecord(project, row.traceId, before, after)]);

  expect(traces).toEqual(isHandedOn ? [row.traceId] : []);
});

test("experiments of a deleted project are not written again", async () => {
  const provenance = { ...noProvenance, experiment: "nightly" };
  const named: TraceRow = { ...row, facts: row.facts === null ? null : { ...row.facts, provenance } };
  const projects: string[] = [];
  const follow = followExperiments(
    async (changes) => void projects.push(...changes.map(({ project }) => project)),
    alive,
  );

  await follow([deleted, living].map((project) => rowRecord(project, row.traceId, null, named)));

  expect(projects).toEqual([living]);
});
