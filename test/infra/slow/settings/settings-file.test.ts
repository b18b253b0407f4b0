import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkSettings } from "../../../../infra/deploy/preflight/check-deployment.ts";
import { readSettingsFile } from "../../../../infra/settings/settings-file.ts";
import { temporaryDirectory } from "../../synthesize.ts";

/** Creates a repository whose stage `prod` has a settings file with this text. */
const withFile = (text: string): string => {
  const repository = temporaryDirectory();
  mkdirSync(join(repository, "settings"));
  writeFileSync(join(repository, "settings/prod.json"), text);
  writeFileSync(join(repository, "cdk.json"), "{}");
  return repository;
};

test("a stage has the settings of its own file, and of no other", () => {
  const repository = withFile('{"retentionDays": 30, "stage": "prod"}');

  expect(readSettingsFile(repository, "prod")).toEqual({ retentionDays: 30 });
  expect(readSettingsFile(repository, "dev")).toEqual({});
});

test("a stage without a file of its own beside those of others is said to have none", async () => {
  const repository = withFile("{}");
  const check = async (stage: string) =>
    (await checkSettings(repository, { region: async () => "eu-west-1" }, ["-c", `stage=${stage}`])).findings;

  expect(await check("prdo")).toContainEqual({
    level: "note",
    sentence: "There is no settings/prdo.json, as there is settings/prod.json: the stage has defaults.",
  });
  expect(JSON.stringify(await check("prod"))).not.toContain("There is no settings/");
});

test.each([["../settings/prod"], [7], ["prod\u0000"], [undefined]])("%j is no stage with a settings file", (stage) => {
  expect(readSettingsFile(withFile("{}"), stage)).toEqual({});
});

test.each([
  ["{", /^settings\/prod\.json is not JSON: .+\.$/u],
  ["[]", "settings/prod.json must be a JSON object with settings by name."],
  ["null", "settings/prod.json must be a JSON object with settings by name."],
  ['{"stage": "dev"}', 'settings/prod.json names another stage, "dev".'],
])("a file that holds %s is refused in one sentence that names it", (text, sentence) => {
  expect(() => readSettingsFile(withFile(text), "prod")).toThrow(sentence);
});
