import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { checkShellSettings, readLocalSettings } from "../../../infra/local/local-settings.ts";
import { temporaryDirectory } from "../../support/service/local-fixture.ts";

const read = (text: string, limitFactor = 1) => {
  const file = join(temporaryDirectory(), "money.json");
  writeFileSync(file, text);
  return readLocalSettings(file, { limitFactor }, {});
};

test("a settings file gives its settings as they are", async () => {
  const settings = { monthlyCostCeilingUsd: 5, judgeModel: "openai/gpt-6-luna", maxTargetsPerRun: 3 };

  expect(await read(JSON.stringify(settings))).toEqual(settings);
});

test.each([
  ['{"monthlyCostCeiling": 5}', "There is no setting monthlyCostCeiling; did you mean monthlyCostCeilingUsd?"],
  ['{"monthlyCostCeilingUsd": -5}', "monthlyCostCeilingUsd"],
  ['{"jwt": {}, "stage": "prod"}', "must not set stage: it is always local."],
  ['{"limits": {"createTracs": 5}}', "limits names createTracs, which is not a route; did you mean createTrace?"],
  ['{"alarms": ["ServerErrors"]}', 'The setting alarms names "ServerErrors", which is no alarm'],
  ['{"judgeModel": "opnai/gpt-6-luna"}', "the provider opnai, which does not exist; did you mean openai?"],
  ['{"efforts": {"openai/gpt-6-lunaa": "low"}}', "did you mean openai/gpt-6-luna?"],
  ['{"limitFactor": 2}', "must not set limitFactor: use --limit-factor."],
  ["[]", "must be a JSON object with settings by name."],
  ["{", "is not JSON"],
])("the file %s is refused in a sentence", async (text, sentence) => {
  await expect(read(text)).rejects.toThrow(sentence);
});

test("limits of the file are tried with the factor of the command line", async () => {
  const text = '{"limits": {"listTraces": 20000}}';

  await expect(read(text, 2)).rejects.toThrow("The limit of listTraces, 20000 requests per minute and client times");
  expect(await read(text, 1)).toEqual({ limits: { listTraces: 20_000 } });
});

test("the file's models are tried with those of the shell, which win, and a server of one's own has models of its own", async () => {
  const file = join(temporaryDirectory(), "judge.json");
  writeFileSync(file, '{"judgeModel": "openai/gpt-6-lunaa"}');
  const shell = { limitFactor: 1 };

  await expect(readLocalSettings(file, shell, {})).rejects.toThrow("did you mean openai/gpt-6-luna?");
  expect(await readLocalSettings(file, { ...shell, judgeModel: "offline/rules" }, {})).toBeDefined();
  expect(await readLocalSettings(file, shell, { openai: { baseUrl: "http://127.0.0.1:1" } })).toBeDefined();
});

test.each([
  ["opnai/x", /^The setting judgeModel names the provider opnai, which does not exist; did you mean openai\?$/u],
  [
    "openai/gpt-6-lunaa",
    /^The setting judgeModel names the model openai\/gpt-6-lunaa, .* did you mean openai\/gpt-6-luna\?/u,
  ],
  ["gpt", /^The setting judgeModel must have the form <provider>\/<model>; it is "gpt"\.$/u],
])("the judge %s of the shell is refused in a sentence", async (judgeModel, sentence) => {
  await expect(checkShellSettings({ limitFactor: 1, judgeModel }, {})).rejects.toThrow(sentence);
});

test.each([
  "offline/rules",
  "openai/gpt-6-luna",
  "anthropic/claude-sonnet-4-6",
  "bedrock/anthropic.claude-sonnet-4-6",
  "custom/llama3",
  "systemone/jury",
])("the judge %s of the shell is no misspelt one, with or without its key", async (judgeModel) => {
  await expect(
    checkShellSettings({ limitFactor: 1, judgeModel, embeddingModel: "offline/words" }, {}),
  ).resolves.toBeUndefined();
});
