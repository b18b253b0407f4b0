import { fails, holds, type Question } from "../question.ts";

export const everyRequestId: Question = {
  title: "Every reply has an X-Request-ID, the gateway's own too",
  ask: async ({ seen }) => {
    const { replies, unnamed } = seen;
    const [first] = unnamed;
    return first === undefined
      ? holds(`on all ${replies} replies so far`)
      : fails(`not on ${unnamed.length} of ${replies} replies, the first to ${first}`);
  },
};
