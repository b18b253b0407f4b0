import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";

/** Runs `infra/require-node.mjs` in a process that reports the version. */
const runOn = (version: string): { status: number | null; stderr: string } => {
  const versions = `Object.defineProperties(process, {
    version: { value: "v${version}" }, versions: { value: { node: "${version}" } } })`;
  const { status, stderr } = spawnSync(
    process.execPath,
    ["--import", `data:text/javascript,${encodeURIComponent(versions)}`, "infra/require-node.mjs"],
    { encoding: "utf8" },
  );
  return { status, stderr };
};

test.for(["20.20.2", "22.17.1"])("Node %s ends with a sentence that names the command to use", (version) => {
  const { status, stderr } = runOn(version);

  expect(status).toBe(1);
  expect(stderr).toContain(`Assay needs Node 22.18 or newer, not v${version}.`);
  expect(stderr).toContain("npx vitest run, npx cdk synth");
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

test.for(["vitest.config.ts", "vitest.dynamodb-local.config.ts"])("%s imports the check first", (path) => {
  const imports = readFileSync(path, "utf8").match(/^import .*$/gmu);

  expect(imports?.[0]).toBe('import "./infra/require-node.mjs";');
});
