import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryDirectory } from "../../support/service/local-fixture.ts";

/** Runs `infra/require-node.mjs` in a process that reports the version, in a copy with or without the Node of npm. */
const runOn = (version: string, isPackaged = true): { status: number | null; stderr: string } => {
  const directory = temporaryDirectory();
  mkdirSync(join(directory, "infra"));
  mkdirSync(join(directory, "node_modules/.bin"), { recursive: true });
  cpSync("infra/require-node.mjs", join(directory, "infra/require-node.mjs"));
  if (isPackaged) writeFileSync(join(directory, "node_modules/.bin/node"), "");
  const versions = `Object.defineProperties(process, {
    version: { value: "v${version}" }, versions: { value: { node: "${version}" } } })`;
  const { status, stderr } = spawnSync(
    process.execPath,
    ["--import", `data:text/javascript,${encodeURIComponent(versions)}`, "infra/require-node.mjs"],
    { cwd: directory, encoding: "utf8" },
  );
  return { status, stderr };
};

test.for(["20.20.2", "22.17.1"])("Node %s ends with a sentence that names the command to use", (version) => {
  const { status, stderr } = runOn(version);

  expect(status).toBe(1);
  expect(stderr).toContain(`Assay needs Node 22.18 or newer, not v${version}.`);
  expect(stderr).toContain("npx vitest run, npx cdk synth");
});

test("without a Node of npm the sentence says to install one", () => {
  const { status, stderr } = runOn("20.20.2", false);

  expect(status).toBe(1);
  expect(stderr).toMatch(/^Assay needs Node 22\.18 or newer, not v20\.20\.2\. Install one, .* platform\.\n$/u);
});

test.for(["22.18.0", "23.6.0", "24.0.0"])("Node %s is accepted", (version) => {
  expect(runOn(version)).toEqual({ status: 0, stderr: "" });
});

test("package.json requires the same version, and the CDK app is started through the check", () => {
  const { engines } = JSON.parse(readFileSync("package.json", "utf8"));
  const { app } = JSON.parse(readFileSync("cdk.json", "utf8"));

  expect(engines.node).toBe(">=22.18");
  expect(app).toBe("node --import ./infra/require-node.mjs infra/app.ts");
});

test("npm brings a Node only where the own one is too old, and where its C library is the one that it needs", () => {
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8"));
  const { optionalDependencies } = JSON.parse(readFileSync("package.json", "utf8"));
  const names = Object.keys(optionalDependencies).filter((name) => name.startsWith("node-"));
  const entries = names.map((name) => packages[`node_modules/${name}`]);

  expect(names.length).toBeGreaterThan(0);
  // npm skips an optional package whose engines do not fit. These packages state none: add the lines after an update.
  expect(entries.map(({ engines }) => engines)).toEqual(names.map(() => ({ node: "<22.18" })));
  expect(entries.filter(({ os }) => os === "linux").map(({ libc }) => libc)).toEqual([["glibc"], ["glibc"]]);
});

test.for(["vitest.config.ts", "vitest.dynamodb-local.config.ts"])("%s imports the check first", (path) => {
  const imports = readFileSync(path, "utf8").match(/^import .*$/gmu);

  expect(imports?.[0]).toBe('import "./infra/require-node.mjs";');
});
