import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { localClient } from "../../infra/local/host/aws-client.ts";
import { type Assembly, readAssembly } from "../../infra/local/template/template.ts";
import type { FakeJudge } from "../support/runs/fake-judge.ts";
import { withoutBackgroundWork, sweeperOf, withoutExpiry, withVariable } from "./assemblies.ts";
import { caller, type Send } from "./caller.ts";
import type { FixtureData } from "./write-fixture.ts";
import { type Asker, headersOf, type Place } from "./people.ts";
import { openStack, startContext, tablesOf } from "./stack.ts";
import { readItems } from "./table-items.ts";
import { breakOff } from "./write-broken.ts";
import { writeMonitors, writeRuns, writeScores, writeWaitingRun } from "./write-evaluations.ts";
import { writeAssembly } from "./write-functions.ts";
import {
  deleteProject,
  writeCodes,
  writeExpiringKey,
  writeKeys,
  writePendingInvitation,
  writePeople,
  writeProjects,
} from "./write-management.ts";
import { recordReplies } from "./write-replies.ts";
import { fullTrace, smallTrace, writeTelemetry, writeTraces } from "./write-traces.ts";
import { uuidOf } from "./write-ids.ts";

const hour = 3_600_000;
const day = 24 * hour;

/** Offset of the last day; tests can continue for that long with a clock behind the machine's. */
const last = -3 * day;

/** Settings of the stack: those of `npm start`, with ceilings for some items. */
const context = {
  ...startContext,
  maxTargetsPerRun: 60,
  monthlyCostCeilingUsd: 1_000,
  projectMonthlyCostCeilingUsd: 100,
};

/** A simulated day of the service. */
interface Day extends Place {
  /** Creates a caller that expects every request to succeed. */
  readonly callerFor: (asker: Asker) => Send;
  /** Creates a caller by API key in a project. */
  readonly project: (name: string) => Send;
  readonly owner: Send;
  readonly organization: string;
  sweep(): Promise<void>;
  /** Waits until every stream has been read. */
  rest(): Promise<void>;
}

const dayOf = (place: Place, sweeper: string): Day => {
  const { stack } = place;
  const asks = (asker: Asker): Send => caller(stack.baseUrl, () => headersOf(place, asker));
  return {
    ...place,
    callerFor: asks,
    project: (name) => asks({ as: "key", project: name }),
    owner: asks({ as: "owner" }),
    organization: stack.credentials.organizationId,
    sweep: async () => {
      const { error } = await stack.functions.invoke(sweeper, {});
      if (error !== undefined) throw new Error(error.errorMessage);
    },
    rest: () => wait(6_000),
  };
};

/** Waits until a monitor has `count` firings. */
const waitForFirings = async (send: Send, monitor: string, count: number): Promise<void> => {
  for (let poll = 0; poll < 300; poll += 1) {
    const { items } = await send("GET", `/evaluations/monitors/${monitor}/firings`);
    if (items.length >= count) return;
    await wait(100);
  }
  throw new Error("The monitor does not fire.");
};

/** Simulates some months of use. @returns the data to pack. */
export const writeHistory = async (work: string, directory: string, judge: FakeJudge): Promise<FixtureData> => {
  const source = join(work, "assembly");
  writeAssembly(source, context);
  const assembly = readAssembly(source);
  const sweeper = sweeperOf(assembly);

  const live = async <T>(
    ahead: number,
    runDay: (day: Day) => Promise<T>,
    { change = (same: Assembly) => same, schedulerClock = () => Date.now() + ahead } = {},
  ): Promise<T> => {
    const place = await openStack({
      directory,
      assembly: change(assembly),
      work,
      ahead,
      providers: { openai: { key: "sk-test", baseUrl: judge.url } },
      schedulerClock,
    });
    try {
      return await runDay(dayOf(place, sweeper));
    } finally {
      await place.stack.close();
    }
  };

  await live(last - 100 * day, async ({ organization, owner, project, now, rest }) => {
    await writeExpiringKey(owner, organization, "long ago");
    await writePendingInvitation(owner, organization, "quinn");
    const archive = project("archive");
    for (let index = 0; index < 5; index += 1)
      await archive(
        "POST",
        "/traces",
        fullTrace(`archive-${index}`, now() - index * day, { session_id: `old-${index % 2}` }),
      );
    await archive("POST", "/evaluations/trace-runs", { metrics: ["tool_correctness"] });
    await rest();
  });

  const daily = await live(
    last - 49 * hour,
    async ({ stack, organization, callerFor: asks, owner, project, now, sweep, rest }) => {
      const [defaultProject, scrapped] = [project("default"), project("scrapped")];
      await writeTraces(defaultProject, now());
      await writeTelemetry(project("telemetry"));
      await writeRuns(defaultProject, judge);
      await writeScores(defaultProject, asks({ as: "owner", project: stack.credentials.projectId }));
      await scrapped("POST", "/traces", fullTrace("scrapped", now()));
      await scrapped("POST", "/evaluations/trace-runs", { metrics: ["tool_correctness"] });
      await writeMonitors(scrapped);
      const monitor = await writeMonitors(defaultProject);
      await writePeople(owner, organization, (name) => asks({ as: name }));
      await writeKeys(owner, organization);
      await writeProjects(owner, organization);
      await rest();
      await deleteProject(owner, organization, "scrapped");
      for (let pass = 0; pass < 3; pass += 1) await sweep();
      await rest();
      return monitor;
    },
  );

  await live(last - 24 * hour, async ({ project, sweep, rest }) => {
    await waitForFirings(project("default"), daily, 1);
    await rest();
    // The deletion that began a day ago is now proved complete.
    for (let pass = 0; pass < 3; pass += 1) await sweep();
    await rest();
  });

  // The operator has set a retention of 400 days for traces.
  const tooLarge = await live(
    last - 5 * hour,
    async ({ project, now, rest }) => {
      const [keptProject, bulkProject] = [project("kept"), project("bulk")];
      for (let index = 0; index < 3; index += 1)
        await keptProject("POST", "/traces", fullTrace(`kept-${index}`, now() - index * hour, { session_id: "kept" }));
      await keptProject("POST", "/evaluations/trace-runs", { metrics: ["tool_correctness"] });
      const traces = Array.from({ length: 61 }, (_, index) => smallTrace(`bulk-${index}`, now() - index * 60_000));
      await bulkProject("POST", "/traces/batch", { traces });
      const body = { name: "too much", target_type: "TRACE", metrics: ["confidence"], cadence: "cron:* * * * *" };
      const monitor = await bulkProject("POST", "/evaluations/monitors", body);
      await rest();
      return monitor.id;
    },
    { change: (same) => withVariable(same, "RETENTION_DAYS", "400") },
  );

  // Prevents deletion by time to live, as the machine's clock is ahead.
  const stay = { change: withoutExpiry };
  const lastDay = async ({
    stack,
    organization,
    callerFor: asks,
    owner,
    project,
    now,
    sweep,
    rest,
  }: Day): Promise<void> => {
    const defaultProject = project("default");
    const projectToDelete = project("going");
    await waitForFirings(defaultProject, daily, 2);
    await waitForFirings(project("bulk"), tooLarge, 1);
    await defaultProject("POST", `/evaluations/monitors/${daily}/trigger`);
    await writePendingInvitation(owner, organization, "ola");
    await writeCodes(owner, asks({ as: "nobody" }), organization, stack.credentials.projectId);
    const unjudged = Array.from({ length: 5 }, (_, index) =>
      smallTrace(`unjudged-${index}`, now() - index * 60_000, { tags: ["unjudged"], session_id: "chat-10" }),
    );
    await defaultProject("POST", "/traces/batch", { traces: unjudged });
    await defaultProject("POST", "/traces", smallTrace("fenced", now()));
    await defaultProject("DELETE", `/traces/${uuidOf("fenced")}`);
    await defaultProject("POST", "/traces", smallTrace("left", now(), { session_id: "left" }));
    await defaultProject("DELETE", "/sessions/left");
    await projectToDelete("POST", "/traces", smallTrace("going", now()));
    await rest();
    await writeWaitingRun(defaultProject, judge);
    await deleteProject(owner, organization, "going");
    await sweep();
    await rest();
  };
  await live(last, lastDay, stay);

  return await live(
    last,
    async ({ stack, project, now, ...place }) => {
      const client = new DynamoDBClient(localClient(stack.endpoints.DYNAMODB));
      const tables = tablesOf(stack);
      await breakOff(project("default"), client, tables, now());
      const replies = await recordReplies({ stack, now, directory: place.directory });
      const items = await readItems(client, tables);
      client.destroy();
      return { source, writtenAt: now(), replies, items };
    },
    // No background work and no schedules.
    { change: (same) => withoutExpiry(withoutBackgroundWork(same)), schedulerClock: () => 0 },
  );
};
