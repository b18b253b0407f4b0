import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { writeJson } from "../../infra/local/host/json-file.ts";
import { listTraceRuns } from "../../lib/contract/runs/trace-runs.ts";
import { listTraces } from "../../lib/contract/traces/traces.ts";
import { clientWith } from "../support/service/client.ts";
import { type CommandResult, runLocalCommand } from "../support/service/local-command.ts";

const service = inject("service");

/** Name of the project in `ready.json`. */
const project = `test-${randomUUID()}`;
const headers = { "X-API-Key": service.tenant.apiKey, "X-Project-Name": project };
const directory = mkdtempSync(join(tmpdir(), "assay-demo-"));

let demo: CommandResult;
beforeAll(async () => {
  writeJson(join(directory, "ready.json"), {
    base_url: service.baseUrl,
    api_key: service.tenant.apiKey,
    project_name: project,
  });
  demo = await runLocalCommand("demo/demo.ts", directory);
});
afterAll(() => rmSync(directory, { recursive: true }));

test("the demo shows a score with its reason for each of its traces and metrics", () => {
  expect(demo.status).toBe(0);
  expect(demo.stdout).toContain(`Stored 6 traces at ${service.baseUrl}, project ${project}.`);
  expect(demo.stdout).toMatch(/COMPLETED, judged by offline\/rules/);
  for (const metric of ["task_completion", "tool_correctness"])
    expect(demo.stdout.match(new RegExp(`│ ${metric}`, "g"))).toHaveLength(6);
});

test("the demo writes into the project of the printed calls", async () => {
  const client = clientWith(service, headers);

  const [traces, runs] = await Promise.all([client.answer(listTraces), client.answer(listTraceRuns)]);

  expect(traces.total).toBe(6);
  expect(runs.items).toMatchObject([{ name: "demo", status: "COMPLETED", evaluated_count: 6 }]);
});

test("everything that the demo links to exists: the run, its scores, the traces, the documentation", async () => {
  const printed = [
    ...demo.stdout.matchAll(/curl -s '([^']+)' \\\n\s+-H 'X-API-Key: ([^']+)' -H 'X-Project-Name: ([^']+)'/g),
  ];
  const replies = await Promise.all(
    printed.map(async ([, url = "", key = "", name = ""]) => {
      const reply = await fetch(url, { headers: { "X-API-Key": key, "X-Project-Name": name } });
      return { status: reply.status, body: (await reply.json()) as { readonly total?: number } };
    }),
  );
  const docs = await fetch(/\S+\/docs$/m.exec(demo.stdout)?.[0] ?? "");

  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
  expect(replies[1]?.body).toHaveLength(12);
  expect(replies[2]?.body.total).toBe(6);
  expect(docs.status).toBe(200);
});

test("--help prints the usage, and what the command does not know is refused, and nothing is stored", async () => {
  const client = clientWith(service, headers);
  const help = await runLocalCommand("demo/demo.ts", directory, "--help");
  const misspelt = await runLocalCommand("demo/demo.ts", directory, "--hlep");
  const surplus = await runLocalCommand("demo/demo.ts", directory, "again");

  expect(help).toMatchObject({ status: 0, stdout: expect.stringMatching(/^Usage: npm run demo\n/u) });
  expect(misspelt).toMatchObject({ status: 1, stderr: "There is no flag --hlep; known are: --help\n" });
  expect(surplus).toMatchObject({ status: 1, stderr: expect.stringMatching(/^There is no argument again\./u) });
  expect((await client.answer(listTraces)).total).toBe(6);
});
