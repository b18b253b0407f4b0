import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, inject, test } from "vitest";
import { repository } from "../../../infra/local/repository.ts";
import { listSessionMetrics, listTraceMetrics } from "../../../lib/contract/metrics/metric-lists.ts";
import { createTraceRun } from "../../../lib/contract/runs/trace-runs.ts";
import { getTraceScores } from "../../../lib/contract/scores/trace-scores.ts";
import { createTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { newProject } from "../../support/service/client.ts";
import { eventually } from "../../support/service/local-fixture.ts";

const service = inject("service");
const readme = readFileSync(join(repository, "README.md"), "utf8");

/** JSON bodies of the README's curl commands, in order. */
const bodies = [...readme.matchAll(/-d '(?<body>\{[^']+\})'/gu)].map(
  ({ groups }) => JSON.parse(groups?.["body"] ?? "") as object,
);

test("the TypeScript of the README runs as shown and stores a trace", async () => {
  const project = newProject(service);
  const [, code = ""] = /```ts\n([^]*?)```/u.exec(readme) ?? [];
  const folder = mkdtempSync(join(tmpdir(), "readme-"));
  // The address, the project and the place of the file are what the reader's own machine has.
  const program = code
    .replace("http://127.0.0.1:4000", service.baseUrl)
    .replace('"default"', JSON.stringify(project.headers["X-Project-Name"]))
    .replace('"./lib/', `"${repository}/lib/`);
  writeFileSync(join(folder, "send.ts"), program);
  const env = { ...process.env, KEY: service.tenant.apiKey };
  await promisify(execFile)(process.execPath, ["--disable-warning=ExperimentalWarning", "send.ts"], {
    cwd: folder,
    env,
  });
  rmSync(folder, { recursive: true });

  expect((await project.page(listTraces)).items).toMatchObject([{ name: "support-agent" }]);
});

test("a newcomer's first score is the one of the README, and its evidence is in the record", async () => {
  const project = newProject(service);
  const [trace = {}, run = {}] = bodies;
  const { trace_id: id } = await project.answer(createTrace, { body: trace });
  await project.answer(createTraceRun, { body: run });
  const [score] = await eventually(async () => {
    const scores = await project.answer(getTraceScores, { params: { score_id: id } });
    return scores.length > 0 ? scores : undefined;
  });

  expect(score).toMatchObject({ name: "tool_correctness", value: "1.0", status: "SUCCESS", evidence_dropped: 0 });
  expect(score?.evidence).toEqual([{ span_id: expect.any(String), quote: null }]);
  expect(readme).toContain(`"reason":"${score?.reason?.slice(0, 60)}`);
});

test("the README and the changes count the metrics that the service offers", async () => {
  const words = [
    "no",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
  ];
  const project = newProject(service);
  const counts = [await project.answer(listTraceMetrics), await project.answer(listSessionMetrics)];
  const [ofTraces = "", ofSessions] = counts.map(({ length }) => words[length]);

  expect(readme).toContain(`**Metrics**: ${ofTraces} for traces, ${ofSessions} for sessions`);
  expect(readFileSync(join(repository, "CHANGELOG.md"), "utf8").toLowerCase()).toContain(
    `- ${ofTraces} metrics of traces and ${ofSessions} of sessions`,
  );
});
