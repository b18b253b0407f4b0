import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { runSteps } from "../../../infra/prove/report.ts";
import { serviceSteps, type Step } from "../../../infra/prove/service-steps.ts";
import { pass } from "../../../infra/verify/check.ts";
import { createClient } from "../../../lib/client/client.ts";
import { type RunningService, startService } from "../../support/service/service.ts";
import { type CountedRequest, countedEngine } from "../../vitals/counted-engine.ts";
import { driversPerTrace } from "../drivers.ts";
import { proveJudge } from "../judge-only.ts";

const requests: CountedRequest[] = [];
let service: RunningService;
beforeAll(async () => {
  service = await startService({ engine: countedEngine((request) => requests.push(request)) });
});
afterAll(() => service.close());

const traceCount = 500;
const model = "offline/rules";
const clientOf = (projectName: string) =>
  createClient({ baseUrl: service.baseUrl, credentials: { apiKey: service.tenant.apiKey, projectName } });

test("the local service is proved: traces counted, judged, an alert raised, the project deleted", async () => {
  const owner = createClient({ baseUrl: service.baseUrl, credentials: { token: service.tenant.bearerToken } });
  const org_id = service.stack.credentials.organizationId;
  const { id: project_id } = await owner.createProject({ path: { org_id }, body: { name: "proof" } });
  const headers = { "X-API-Key": service.tenant.apiKey, "X-Project-Name": "proof" };
  const proved = { client: clientOf("proof"), baseUrl: service.baseUrl, headers };
  const { send, judge, alert, erase } = serviceSteps(() => proved, { traceCount, model });
  const units = (kind: "read" | "write") =>
    requests.filter(({ caller }) => !/Sweep/u.test(caller)).reduce((sum, request) => sum + request[kind], 0);
  const quiet: Step = {
    title: "workers end",
    run: async () => {
      // Until nothing is written for longer than a worker waits: on a busy machine they take as long as it takes.
      for (let before = -1; units("write") > before; await wait(4_000)) before = units("write");
      return pass("");
    },
  };
  const counted: Step = {
    title: "units are those of the forecast",
    run: async () => {
      const perTrace = (kind: "read" | "write") => units(kind) / traceCount;
      expect(perTrace("write")).toBeGreaterThan(driversPerTrace.writeUnits / 1.2);
      expect(perTrace("write")).toBeLessThan(driversPerTrace.writeUnits * 1.2);
      expect(perTrace("read")).toBeGreaterThan(driversPerTrace.readUnits / 1.3);
      expect(perTrace("read")).toBeLessThan(driversPerTrace.readUnits * 1.3);
      return pass("");
    },
  };
  requests.length = 0;
  const steps = [send, quiet, counted, alert, judge];
  const deletion = erase(() => owner.deleteProject({ path: { org_id, project_id } }));
  const results = await runSteps(steps, deletion, () => undefined);

  expect(results.filter(({ verdict }) => verdict !== "passed")).toEqual([]);
  expect(results[4]?.details).toBe("offline/rules: 100 calls, $0.0000");
  expect(results[3]?.details).toMatch(/^500 traces, share 0\.050, after \d+ s$/u);
}, 600_000);

test("a judge's agreement stands beside two baselines, with intervals; a file of something else is refused", async () => {
  const spans = [{ name: "call", kind: "TOOL", status: "ERROR", started_at: "2026-11-21T09:00:00Z" }];
  const line = (at: number) => ({
    label: { solved: at < 12, task: at },
    trace: {
      name: `t${at}`,
      started_at: "2026-11-21T09:00:00Z",
      ended_at: "2026-11-21T09:00:05Z",
      status: "COMPLETED",
      input: "a",
      output: "b",
      ...(at >= 15 && { spans }),
    },
  });
  const file = join(service.directory, "trajectories.ndjson.gz");
  const lines = Array.from({ length: 20 }, (_, at) => JSON.stringify(line(at)));
  writeFileSync(file, gzipSync(lines.join("\n")));
  const table = await proveJudge(clientOf("judge"), file, model);

  expect(table.split("\n").slice(2, 5)).toEqual([
    expect.stringMatching(/^\| offline\/rules \| \d+ % \(\d+ % to \d+ %\) \| /u),
    "| always pass, the commoner outcome | 60 % (37 % to 79 %) | 100 % (71 % to 100 %) | 0 % |",
    "| fail if a span failed | 85 % (62 % to 95 %) | 100 % (71 % to 100 %) | 63 % |",
  ]);
  expect(table).toContain("20 trajectories by `task_completion`, 20 with a verdict, 20 calls, $0.0000");
  writeFileSync(file, gzipSync('{"label": {}}'));
  await expect(proveJudge(clientOf("judge"), file, model)).rejects.toThrow(
    /^\S+\/trajectories\.ndjson\.gz has no readable trajectories: .*solved/u,
  );
});
