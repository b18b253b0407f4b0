import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { synthesize } from "./synthesize.ts";

const page = readFileSync(new URL("../../infra/teardown.md", import.meta.url), "utf8");

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
