import { execFile } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, inject, onTestFinished, test } from "vitest";
import { createDataset } from "../../../../lib/contract/datasets/datasets.ts";
import { approveExperiment } from "../../../../lib/contract/experiments/approval.ts";
import { getExperiment } from "../../../../lib/contract/experiments/experiments.ts";
import { gateScript } from "../../../../lib/contract/openapi/page/experiment-guide.ts";
import { experimentsByName, sendExperiment } from "../../../support/experiments.ts";
import { newProject } from "../../../support/service/client.ts";
import { eventually } from "../../../support/service/local-fixture.ts";

const service = inject("service");

test("the documented shell program ends with the gate's exit code and writes the comment", async () => {
  const project = newProject(service);
  const items = Array.from({ length: 60 }, (_, at) => `item ${at}`);
  const send = (name: string, some: readonly string[]) =>
    sendExperiment(
      project,
      {
        "assay.experiment": name,
        "assay.dataset": "refunds",
        "input.value": "Is it open?",
        "output.value": "Yes, until six.",
      },
      some,
    );
  const { id: dataset_id } = await project.answer(createDataset, { body: { name: "refunds" } });
  await send("before", items);
  const before = (await experimentsByName(project, 1)).get("before")?.id ?? "";
  const params = { experiment_id: before };
  await eventually(async () => (await project.answer(getExperiment, { params })).trace_count === 60 || undefined);
  const folder = await mkdtemp(join(tmpdir(), "assay-gate-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, "gate.sh"), gateScript);
  const headers = Object.entries(project.headers).map(([name, value]) => [name.toLowerCase(), String(value)]);
  const { "x-api-key": KEY, "x-project-name": PROJECT } = Object.fromEntries(headers) as Record<string, string>;
  const run = (EXPERIMENT: string) =>
    new Promise<{ readonly code: unknown; readonly text: string }>((resolve) => {
      const env = { PATH: process.env["PATH"], ASSAY: service.baseUrl, KEY, PROJECT, EXPERIMENT };
      execFile("sh", ["gate.sh"], { cwd: folder, env }, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, text: stdout + stderr }),
      );
    });

  const refused = await run("before");
  expect(refused).toMatchObject({ code: 2, text: expect.stringContaining("has no approved experiment") });
  expect(refused.text).toContain(await readFile(join(folder, "gate.md"), "utf8"));
  await project.answer(approveExperiment, { params: { dataset_id }, body: { experiment_id: before } });

  await send("after", items);
  expect(await run("after")).toEqual({ code: 0, text: "" });
  expect(await readFile(join(folder, "gate.md"), "utf8")).toContain("### The gate passed");

  await send("few", items.slice(0, 20));
  expect(await run("few")).toEqual({ code: 3, text: "" });
  expect(await readFile(join(folder, "gate.md"), "utf8")).toContain("### The gate cannot tell");
});
