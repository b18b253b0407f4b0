import { randomBytes, randomUUID } from "node:crypto";
import * as v from "valibot";
import { getSession } from "../../../lib/contract/sessions/sessions.ts";
import { differences } from "../differences.ts";
import { inSeconds } from "../figures.ts";
import { judged, type Question } from "../question.ts";
import { newTag, sampleTrace } from "../sample-traces.ts";

/** What a function can answer without streaming. */
const payloadLimit = 6 * 1024 * 1024;

/** Together with three others beyond the limit; random, so that nothing on the way can compress it. */
const textOf = (): string => randomBytes(1_250_000).toString("base64");

const traceCount = 4;

export const streamedSession: Question = {
  title: "A session larger than Lambda's 6 MB is streamed whole and is valid JSON",
  ask: async ({ project }) => {
    const session_id = `verify-${randomUUID()}`;
    const begin = Date.now() - 600_000;
    const traces = Array.from({ length: traceCount }, (_, index) => ({
      ...sampleTrace(newTag("large"), begin + index * 1000),
      session_id,
      output: textOf(),
    }));
    for (const body of traces) await project.client.createTrace({ body });
    const { status, text, bytes, milliseconds } = await project.call(getSession, { params: { session_id } });
    const session = v.parse(getSession.reply, JSON.parse(text));
    const large = bytes.length > payloadLimit;
    return judged(
      [
        ...(status === 200 && large ? [] : [`answered ${status} with ${bytes.length} bytes`]),
        ...differences(traces, session.traces, "traces"),
      ],
      `${bytes.length.toLocaleString("en")} bytes of ${session.trace_count} traces in ${inSeconds(milliseconds / 1000)}, as sent`,
    );
  },
};
