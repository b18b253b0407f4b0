import { fail, pass, type Check } from "../check.ts";

export const everyRequestId: Check = {
  title: "Every reply has an X-Request-ID, including the gateway's own replies",
  run: async ({ replyLog }) => {
    const { replies, withoutRequestId } = replyLog;
    const [first] = withoutRequestId;
    return first === undefined
      ? pass(`on all ${replies} replies so far`)
      : fail(`missing on ${withoutRequestId.length} of ${replies} replies, the first to ${first}`);
  },
};
