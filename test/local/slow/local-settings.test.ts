import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readLocalSettings } from "../../../infra/local/local-settings.ts";
import { temporaryDirectory } from "../../support/service/local-fixture.ts";

const read = (text: string) => {
  const file = join(temporaryDirectory(), "money.json");
  writeFileSync(file, text);
  return readLocalSettings(file);
};

test("a settings file gives its settings as they are", async () => {
  const settings = { monthlyCostCeilingUsd: 5, judgeModel: "openai/gpt-6-luna", maxTargetsPerRun: 3 };

  expect(await read(JSON.stringify(settings))).toEqual(settings);
});

test.each([
  ['{"monthlyCostCeiling": 5}', "There is no setting monthlyCostCeiling; did you mean monthlyCostCeilingUsd?"],
  ['{"monthlyCostCeilingUsd": -5}', "monthlyCostCeilingUsd"],
  ['{"jwt": {}, "stage": "prod"}', "must not set stage: it is always local."],
  ['{"limitFactor": 2}', "must not set limitFactor: use --limit-factor."],
  ["[]", "must be a JSON object with settings by name."],
  ["{", "is not JSON"],
])("the file %s is refused in a sentence", async (text, sentence) => {
  await expect(read(text)).rejects.toThrow(sentence);
});
