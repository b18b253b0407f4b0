import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readLocalSettings } from "../../../infra/local/local-settings.ts";
import { temporaryDirectory } from "../../support/service/local-fixture.ts";

const read = (text: string, limitFactor = 1) => {
  const file = join(temporaryDirectory(), "money.json");
  writeFileSync(file, text);
  return readLocalSettings(file, limitFactor);
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
