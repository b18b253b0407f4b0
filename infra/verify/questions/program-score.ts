import { differences } from "../differences.ts";
import { passUnless, type Check } from "../check.ts";
import { newTag, sampleTrace } from "../sample-traces.ts";

export const programScore: Check = {
  title: "A programmatic score is stored and returned with its trace",
  run: async ({ project }) => {
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
    const storedScore = await project.client.createTraceScore({ body: score });
    const traceScores = await project.client.getTraceScores({ path: { score_id: trace_id } });
    return passUnless(
      [...differences(score, storedScore), ...differences([score], traceScores, "scores")],
      `${storedScore.name} is ${storedScore.value}, ${storedScore.source}`,
    );
  },
};
