import { join } from "node:path";
import * as v from "valibot";
import { readSettingsFile } from "../settings/settings-file.ts";
import type { Check } from "./check.ts";
import { issuerSettings, issuersMatchSettings } from "./questions/issuers.ts";
import { alarmIsSent } from "./questions/test-alarm.ts";

/** Builds the checks that need a stage's settings file and the operator's AWS credentials. */
export const operatorChecks = (stage: string): readonly Check[] => {
  const { jwt } = readSettingsFile(join(import.meta.dirname, "../.."), stage);
  const issuers = v.safeParse(issuerSettings, jwt);
  return [issuersMatchSettings(issuers.success ? issuers.output : []), alarmIsSent(`assay-${stage}`)];
};
