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
      source: "PROGRAMMATIC" as const,
      reason: "Grüße",
      metadata: { a: 1 },
    };
    await project.client.createTrace({ body: trace });
    const made = await project.client.createTraceScore({ body: score });
    const read = await project.client.getTraceScores({ path: { score_id: trace_id } });
    return judged(
      [...differences(score, made), ...differences([score], read, "scores")],
      `${made.name} is ${made.value}, ${made.source}`,
    );
  },
};
