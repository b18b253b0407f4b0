import { exactOptional, maxValue, minValue, number, object, parse, pipe, record, string } from "valibot";
import { defaultTranscripts, type TranscriptSettings } from "../judge/transcript/transcript.ts";
import { variables } from "./environment.ts";
import { jsonSetting } from "./json-setting.ts";

const schema = object({
  characters: exactOptional(record(string(), pipe(number(), minValue(1)))),
  pictures: exactOptional(record(string(), pipe(number(), minValue(0), maxValue(8)))),
  leastCoverage: exactOptional(pipe(number(), minValue(0), maxValue(1))),
});

/**
 * Reads the limits of judge transcripts from the environment variable `JUDGE_TRANSCRIPTS`, with defaults for missing ones.
 *
 * @throws Error if the setting is malformed: a misconfigured function must not start.
 */
export const transcriptSettings = (
  environment: Readonly<Record<string, string | undefined>> = process.env,
): TranscriptSettings => {
  const setting = jsonSetting(variables.judgeTranscripts, environment);
  return setting === undefined ? defaultTranscripts : { ...defaultTranscripts, ...parse(schema, setting) };
};
