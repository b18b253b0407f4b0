import { exactOptional, maxValue, minValue, number, object, parse, pipe, record, string } from "valibot";
import { defaultTranscripts, type TranscriptSettings } from "../judge/transcript/transcript-settings.ts";
import { variables } from "./environment.ts";
import { jsonSetting } from "./json-setting.ts";

const schema = object({
  characters: exactOptional(record(string(), pipe(number(), minValue(1)))),
  pictures: exactOptional(record(string(), pipe(number(), minValue(0), maxValue(8)))),
  leastCoverage: exactOptional(pipe(number(), minValue(0), maxValue(1))),
});

/**
 * How much of a trace judges are shown, from a function's environment.
 *
 * @throws Error when `JUDGE_TRANSCRIPTS` is there and not of its form: a function that is configured wrong must not start.
 */
export const transcriptSettings = (
  environment: Readonly<Record<string, string | undefined>> = process.env,
): TranscriptSettings => {
  const given = jsonSetting(variables.judgeTranscripts, environment);
  return given === undefined ? defaultTranscripts : { ...defaultTranscripts, ...parse(schema, given) };
};
