import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { localClient } from "../../infra/local/host/aws-client.ts";
import { type Assembly, readAssembly } from "../../infra/local/template/template.ts";
import type { FakeJudge } from "../support/fake-judge.ts";
import { quiet, sweeperOf, withoutExpiry, withVariable } from "./assemblies.ts";
import { caller, type Send } from "./caller.ts";
import type { Remains } from "./write-fixture.ts";
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

/** When the last day is: whoever opens the fixture can go on for this long, by a clock that is behind the machine's. */
const last = -3 * day;

/** The stack's settings: those of `npm start`, and ceilings that some items are about. */
const context = {
  ...startContext,
  maxTargetsPerRun: 60,
  monthlyCostCeilingUsd: 1_000,
  projectMonthlyCostCeilingUsd: 100,
};

/** A day in the life of the service. */
interface Day extends Place {
  /** A caller who expects every request to succeed. */
  readonly asks: (who: Asker) => Send;
  /** Calls by API key in a project. */
  readonly project: (name: string) => Send;
  readonly owner: Send;
  readonly organization: string;
  sweep(): Promise<void>;
  /** Long enough for every stream to be read to its end. */
  rest(): Promise<void>;
}

const dayOf = (place: Place, sweeper: string): Day => {
  const { stack } = place;
  const asks = (who: Asker): Send => caller(stack.baseUrl, () => headersOf(place, who));
  return {
    ...place,
    asks,
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

/** Waits until a monitor has so many firings. */
const fired = async (send: Send, monitor: string, count: number): Promise<void> => {
  for (let look = 0; look < 300; look += 1) {
    const { items } = await send("GET", `/evaluations/monitors/${monitor}/firings`);
    if (items.length >= count) return;
    await wait(100);
  }
  throw new Error("The monitor does not fire.");
};

/** Lives through some months of use. @returns what they left. */
export const writeHistory = async (work: string, directory: string, judge: FakeJudge): Promise<Remains> => {
  const source = join(work, "assembly");
  writeAssembly(source, context);
  const assembly = readAssembly(source);
  const sweeper = sweeperOf(assembly);

  const live = async <T>(
    ahead: number,
    what: (day: Day) => Promise<T>,
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
      return await what(dayOf(place, sweeper));
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
    async ({ stack, organization, asks, owner, project, now, sweep, rest }) => {
      const [own, scrapped] = [project("default"), project("scrapped")];
      await writeTraces(own, now());
      await writeTelemetry(project("telemetry"));
      await writeRuns(own, judge);
      await writeScores(own, asks({ as: "owner", project: stack.credentials.projectId }));
      await scrapped("POST", "/traces", fullTrace("scrapped", now()));
      await scrapped("POST", "/evaluations/trace-runs", { metrics: ["tool_correctness"] });
      await writeMonitors(scrapped);
      const monitor = await writeMonitors(own);
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
    await fired(project("default"), daily, 1);
    await rest();
    // The deletion that began a day ago is proved now.
    for (let pass = 0; pass < 3; pass += 1) await sweep();
    await rest();
  });

  // The operator keeps traces for 400 days meanwhile.
  const tooLarge = await live(
    last - 5 * hour,
    async ({ project, now, rest }) => {
      const [kept, bulk] = [project("kept"), project("bulk")];
      for (let index = 0; index < 3; index += 1)
        await kept("POST", "/traces", fullTrace(`kept-${index}`, now() - index * hour, { session_id: "kept" }));
      await kept("POST", "/evaluations/trace-runs", { metrics: ["tool_correctness"] });
      const traces = Array.from({ length: 61 }, (_, index) => smallTrace(`bulk-${index}`, now() - index * 60_000));
      await bulk("POST", "/traces/batch", { traces });
      const body = { name: "too much", target_type: "TRACE", metrics: ["confidence"], cadence: "cron:* * * * *" };
      const monitor = await bulk("POST", "/evaluations/monitors", body);
      await rest();
      return monitor.id;
    },
    { change: (same) => withVariable(same, "RETENTION_DAYS", "400") },
  );

  // From here on nothing is deleted for its age by the machine's clock, which is ahead.
  const stay = { change: withoutExpiry };
  const lastDay = async ({ stack, organization, asks, owner, project, now, sweep, rest }: Day): Promise<void> => {
    const own = project("default");
    const doomed = project("going");
    await fired(own, daily, 2);
    await fired(project("bulk"), tooLarge, 1);
    await own("POST", `/evaluations/monitors/${daily}/trigger`);
    await writePendingInvitation(owner, organization, "ola");
    await writeCodes(owner, asks({ as: "nobody" }), organization, stack.credentials.projectId);
    const unjudged = Array.from({ length: 5 }, (_, index) =>
      smallTrace(`unjudged-${index}`, now() - index * 60_000, { tags: ["unjudged"], session_id: "chat-10" }),
    );
    await own("POST", "/traces/batch", { traces: unjudged });
    await own("POST", "/traces", smallTrace("fenced", now()));
    await own("DELETE", `/traces/${uuidOf("fenced")}`);
    await own("POST", "/traces", smallTrace("left", now(), { session_id: "left" }));
    await own("DELETE", "/sessions/left");
    await doomed("POST", "/traces", smallTrace("going", now()));
    await rest();
    await writeWaitingRun(own, judge);
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
    // Nothing happens by itself.
    { change: (same) => withoutExpiry(quiet(same)), schedulerClock: () => 0 },
  );
};
