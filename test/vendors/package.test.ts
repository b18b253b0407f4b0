// oxlint-disable-next-line eslint/no-restricted-imports -- npm run vendors alone runs this folder
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { expect, inject, onTestFinished, test } from "vitest";
import { installPackage, pageProgram } from "../support/package/installed-package.ts";
import { newProject } from "../support/service/client.ts";

const service = inject("service");

/** Installs the oldest Node.js that the package supports, once. @returns its path. */
const oldNode = (): string => {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = join(homedir(), ".cache/assay-vendors/node-22");
  const path = join(folder, "node_modules", name, "bin/node");
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }');
  const { status, stderr } = spawnSync(
    "npm",
    ["install", "--ignore-scripts", "--no-audit", "--no-fund", `${name}@22`],
    {
      cwd: folder,
      encoding: "utf8",
    },
  );
  if (status !== 0) throw new Error(`Node.js 22 was not installed:\n${stderr}`);
  return path;
};

test("the npm package works on Node.js 22: its page's program, and the command line", async () => {
  const installed = await installPackage(oldNode());
  onTestFinished(() => installed.remove());
  installed.addPeers();
  writeFileSync(join(installed.folder, "page.mjs"), pageProgram);
  const variables = {
    ASSAY_URL: service.baseUrl,
    ASSAY_API_KEY: service.tenant.apiKey,
    ASSAY_PROJECT: String(newProject(service).headers["X-Project-Name"]),
  };

  expect((await installed.run(["--version"])).stdout).toMatch(/^v22\./u);
  expect(await installed.run(["page.mjs"], variables)).toEqual({
    code: 0,
    stdout: "task_completion 1.0\n",
    stderr: "",
  });
  expect(await installed.assay(["doctor"], variables)).toMatchObject({ code: 0, stderr: "" });
  expect(await installed.assay(["api", "traces", "list", "--all"], variables)).toMatchObject({ code: 0, stderr: "" });
  expect(await installed.assay(["--help"])).toMatchObject({ code: 0, stderr: "" });
});
