import type { Check } from "./check.ts";
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

/** The order in which checks run. */
export interface CheckPlan {
  /** Lanes run concurrently, the checks of a lane one after the other. Checks that wait for minutes have their own lane. */
  readonly lanes: readonly (readonly Check[])[];
  /** Checks that run one after the other when all lanes have finished. */
  readonly last: readonly Check[];
}

/** All checks of a deployment through its API. Response times are measured first, before other checks start the functions. */
export const allChecks: CheckPlan = {
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
  // `usagePlan` runs last, because API Gateway throttles a key separately only from a minute after its creation.
  last: [usagePlan, everyRequestId],
};
