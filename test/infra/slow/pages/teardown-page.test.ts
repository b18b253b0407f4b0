import { execFileSync } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gatewayKeyName } from "../../../../lib/gateway-keys/client.ts";
import { synthesize, temporaryDirectory } from "../../synthesize.ts";

const page = readFileSync(new URL("../../../../infra/teardown.md", import.meta.url), "utf8");

test("the page finds the tables by the names of the stack's outputs", () => {
  const outputs = Object.keys(synthesize().template.findOutputs("*"));
  const ending = /ends_with\(OutputKey, '(?<ending>\w+)'\)/u.exec(page)?.groups?.["ending"] ?? "";

  expect(outputs.filter((name) => name.endsWith(ending))).toHaveLength(9);
});

test("the protections that the page switches off are on: the stack's, and by its setting the tables'", () => {
  const { stack, template } = synthesize();

  expect(page).toContain("--no-enable-termination-protection");
  expect(stack.terminationProtection).toBe(true);
  expect(page).toContain("-c tableProtection=false");
  expect(JSON.stringify(template.toJSON())).toContain('"DeletionProtectionEnabled":true');
});

test("the gateway keys of the stage are deleted, and none of a stage whose name begins alike", () => {
  const directory = temporaryDirectory();
  const id = "7a1d4a52-8c0f-4b1e-a6c3-2f4b8d9e0c11";
  const stages = ["prod", "prod-eu", "prod-key", "prod-user-a"];
  const names = stages.flatMap((stage) => [`key#${id}`, `user#${id}`].map((client) => gatewayKeyName(stage, client)));
  writeFileSync(join(directory, "keys.txt"), names.map((name) => `id-of-${name}\t${name}\n`).join(""));
  copyFileSync(join(import.meta.dirname, "aws-stand-in.sh"), join(directory, "aws"));
  const [command = ""] = /^aws apigateway get-api-keys .*?(?=^```$)/msu.exec(page) ?? [];

  execFileSync("bash", ["--norc", "-euo", "pipefail", "-c", command], {
    cwd: directory,
    env: { PATH: `${directory}:${process.env["PATH"]}`, STAGE: "prod" },
  });

  const calls = readFileSync(join(directory, "calls.txt"), "utf8").replaceAll("\u001F", " ");
  expect([...calls.matchAll(/delete-api-key --api-key (\S+)/gu)].map(([, deleted]) => deleted)).toEqual(
    names.slice(0, 2).map((name) => `id-of-${name}`),
  );
});
