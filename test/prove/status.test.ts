import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const pages = globSync("docs/proof/*.md").map((path) => path.split(/[/\\]/u).at(-1));

test.each([
  ["A deployment", /^\d{4}-\d\d-\d\d\.md$/u],
  ["A judge with a model of a provider", /^judge-\d{4}-\d\d-\d\d\.md$/u],
])("%s is said to be not yet run exactly as long as no page of it exists", (subject, form) => {
  const line = `- ${subject}: **not yet run**.`;
  const isProved = pages.some((name) => form.test(name ?? ""));

  expect(readFileSync("docs/proof/README.md", "utf8").split("\n").includes(line)).toBe(!isProved);
});
