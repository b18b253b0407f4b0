import { createTraceScore, getTraceScores } from "../../../lib/contract/scores/trace-scores.ts";
import { createTrace } from "../../../lib/contract/traces/traces.ts";
import { differences } from "../differences.ts";
import { judged, type Question } from "../question.ts";
import { newTag, sampleTrace } from "../sample-traces.ts";

export const programScore: Question = {
  title: "A score by a program is stored and read with its trace",
  ask: async ({ project }) => {
    const trace = sampleTrace(newTag("score"));
    const { trace_id } = trace;
    const score = {
      trace_id,
      name: "helpful",
      value: "0.75",
      source: "PROGRAMMATIC",
      reason: "Grüße",
      metadata: { a: 1 },
    };
    await project.answer(createTrace, { body: trace });
    const made = await project.answer(createTraceScore, { body: score });
    const read = await project.answer(getTraceScores, { params: { score_id: trace_id } });
    return judged(
      [...differences(score, made), ...differences([score], read, "scores")],
      `${made.name} is ${made.value}, ${made.source}`,
    );
  },
};
