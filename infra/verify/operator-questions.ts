import { join } from "node:path";
import * as v from "valibot";
import { readSettingsFile } from "../settings/settings-file.ts";
import type { Question } from "./question.ts";
import { issuerSettings, issuersSayTheSame } from "./questions/issuers.ts";
import { alarmArrives } from "./questions/test-alarm.ts";

/** What is asked of a stage beside its API, by its settings and with the operator's credentials. */
export const operatorQuestions = (stage: string): readonly Question[] => {
  const { jwt } = readSettingsFile(join(import.meta.dirname, "../.."), stage);
  const issuers = v.safeParse(issuerSettings, jwt);
  return [issuersSayTheSame(issuers.success ? issuers.output : []), alarmArrives(`assay-${stage}`)];
};
