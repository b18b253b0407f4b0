import { randomBytes, randomUUID } from "node:crypto";
import * as v from "valibot";
import { getSession } from "../../../lib/contract/sessions/sessions.ts";
import { differences } from "../differences.ts";
import { inSeconds } from "../figures.ts";
import { passUnless, type Check } from "../check.ts";
import { newTag, sampleTrace } from "../sample-traces.ts";

/** Maximum size in bytes of a function's reply without streaming. */
const payloadLimit = 6 * 1024 * 1024;

/** Creates a text; four of them exceed the limit. Random, so that compression cannot reduce its size. */
const randomText = (): string => randomBytes(1_250_000).toString("base64");

const traceCount = 4;

export const streamedSession: Check = {
  title: "A session larger than Lambda's 6 MB is streamed completely and is valid JSON",
  run: async ({ project }) => {
    const session_id = `verify-${randomUUID()}`;
    const begin = Date.now() - 600_000;
    const traces = Array.from({ length: traceCount }, (_, index) => ({
      ...sampleTrace(newTag("large"), begin + index * 1000),
      session_id,
      output: randomText(),
    }));
    for (const body of traces) await project.client.createTrace({ body });
    const { status, text, bytes, milliseconds } = await project.call(getSession, { params: { session_id } });
    const session = v.parse(getSession.reply, JSON.parse(text));
    const isLarge = bytes.length > payloadLimit;
    return passUnless(
      [
        ...(status === 200 && isLarge ? [] : [`answered ${status} with ${bytes.length} bytes`]),
        ...differences(traces, session.traces, "traces"),
      ],
      `${bytes.length.toLocaleString("en")} bytes of ${session.trace_count} traces in ${inSeconds(milliseconds / 1000)}, as sent`,
    );
  },
};
