import type { Question } from "./question.ts";
import { analytics } from "./questions/analytics.ts";
import { bearerToken } from "./questions/bearer-token.ts";
import { compressedBody, compressedReply } from "./questions/compression.ts";
import { credentials } from "./questions/credentials.ts";
import { defaultJudge } from "./questions/default-judge.ts";
import { deletedTrace } from "./questions/deleted-trace.ts";
import { everyRequestId } from "./questions/every-request-id.ts";
import { largeBody } from "./questions/large-body.ts";
import { lateSpan } from "./questions/late-span.ts";
import { malformedBody } from "./questions/malformed-body.ts";
import { monitor } from "./questions/monitor.ts";
import { newKey } from "./questions/new-key.ts";
import { openApiDocument } from "./questions/open-api.ts";
import { otlpJson } from "./questions/otlp-json.ts";
import { otlpProtobuf } from "./questions/otlp-protobuf.ts";
import { programScore } from "./questions/program-score.ts";
import { queue } from "./questions/queue.ts";
import { rateLimit } from "./questions/rate-limit.ts";
import { requestId } from "./questions/request-id.ts";
import { root } from "./questions/root.ts";
import { routeTimes } from "./questions/route-times.ts";
import { storedTrace } from "./questions/stored-trace.ts";
import { streamedSession } from "./questions/streamed-session.ts";
import { tls } from "./questions/tls.ts";
import { unconfiguredProvider } from "./questions/unconfigured-provider.ts";
import { unknownRoute } from "./questions/unknown-route.ts";
import { usagePlan } from "./questions/usage-plan.ts";
import { wrongMethod } from "./questions/wrong-method.ts";

/** In which order questions are asked. */
export interface Plan {
  /** Each in turn, all side by side: what waits for minutes is asked beside the rest. */
  readonly lanes: readonly (readonly Question[])[];
  /** After all of them, in turn. */
  readonly last: readonly Question[];
}

/** Everything that is asked. Times come first, while functions have not started. */
export const allQuestions: Plan = {
  lanes: [
    [
      routeTimes,
      bearerToken,
      storedTrace,
      lateSpan,
      programScore,
      deletedTrace,
      defaultJudge,
      analytics,
      unconfiguredProvider,
      queue,
      streamedSession,
      otlpJson,
      otlpProtobuf,
      compressedBody,
      compressedReply,
      malformedBody,
      largeBody,
      credentials,
      unknownRoute,
      wrongMethod,
      requestId,
      root,
      openApiDocument,
      tls,
      rateLimit,
    ],
    [monitor],
    [newKey],
  ],
  // The plan meters a key by itself from a minute after it was made.
  last: [usagePlan, everyRequestId],
};
