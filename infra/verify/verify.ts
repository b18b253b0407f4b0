import { randomUUID } from "node:crypto";
import { setTimeout as after } from "node:timers/promises";
import type { Credentials } from "../../lib/client/credentials.ts";
import type { CheckPlan } from "./all-checks.ts";
import { callerWith } from "./client/caller.ts";
import { type ExchangeOptions, openExchange, withinLimits } from "./client/exchange.ts";
import { typedClient } from "./client/typed-client.ts";
import type { Timeouts } from "./timeouts.ts";
import { emptyProject } from "./project/empty-project.ts";
import { removeProject } from "./project/remove-project.ts";
import { messageOf } from "./message-of.ts";
import {
  type CheckResult,
  fail,
  pass,
  hasRequestId,
  requestName,
  skip,
  type Check,
  type CheckContext,
} from "./check.ts";
import type { Finding } from "./report/findings-table.ts";
import type { EndReason } from "./report/summary.ts";

/** The deployment under test and the credentials for it. */
interface Target {
  /** Base URL without a trailing slash. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Bearer token of an owner of the key's organization; null when not set. */
  readonly bearerToken: string | null;
}

/** Options of a verification. */
export interface VerifyOptions {
  readonly target: Target;
  readonly plan: CheckPlan;
  readonly timeouts: Timeouts;
  /** Signal that skips the remaining checks; stored data is deleted nevertheless. */
  readonly signal: AbortSignal;
  /** Called with each line of progress. */
  readonly log: (line: string) => void;
}

/** Result of a verification: a finding per check, and the reason of an early end. */
export interface Report {
  readonly findings: readonly Finding[];
  readonly endReason: EndReason;
}

const keyAccepted: Check = {
  title: "The API key is accepted",
  run: async ({ project, projectName }) => {
    const metrics = await project.client.listTraceMetrics();
    return pass(`project ${projectName}, ${metrics.length} metrics`);
  },
};

/** Creates callers with each credential over new connections. */
const callersOf = (
  { apiKey, bearerToken }: Target,
  projectName: string,
  options: ExchangeOptions,
  wait: CheckContext["wait"],
) => {
  const exchange = openExchange(options);
  const limited = withinLimits(exchange, wait);
  const clientOf = (credentials?: Credentials) => typedClient(limited, options.baseUrl, options.timeout, credentials);
  const withKey = (key: string, sender = limited) =>
    callerWith(sender, { "X-API-Key": key, "X-Project-Name": projectName }, clientOf({ apiKey: key, projectName }));
  const withToken = (token: string) => callerWith(limited, { Authorization: `Bearer ${token}` }, clientOf({ token }));
  return {
    anonymous: callerWith(limited, {}, clientOf()),
    project: withKey(apiKey),
    impatient: withKey(apiKey, exchange),
    user: bearerToken === null ? null : withToken(bearerToken),
    callerWithKey: (key: string) => withKey(key),
    close: exchange.close,
  };
};

/** Deletes the stored data. Has its own timeout, because it also runs after an interruption or when the time is up. */
const cleanUp = async ({ target, timeouts, log }: VerifyOptions, projectName: string): Promise<readonly Finding[]> => {
  const signal = AbortSignal.timeout(timeouts.cleanup);
  const options = { baseUrl: target.baseUrl, timeout: timeouts.request, signal, onReply: () => undefined };
  const wait = (milliseconds: number): Promise<void> => after(milliseconds, undefined, { signal });
  const { project, user, close } = callersOf(target, projectName, options, wait);
  const step = async (title: string, work: () => Promise<CheckResult>): Promise<Finding> => {
    log(title);
    return { title, ...(await work().catch((error: unknown) => fail(messageOf(error)))) };
  };
  try {
    return [
      await step("The stored data is deleted", () => emptyProject(project, wait, timeouts.pollInterval)),
      await step("The temporary project is deleted", () => removeProject(user, projectName)),
    ];
  } finally {
    close();
  }
};

/** Runs all checks of a plan in a temporary project, deletes the stored data, and deletes the project if a token is set. */
export const verify = async (options: VerifyOptions): Promise<Report> => {
  const { target, plan, timeouts, log } = options;
  const projectName = `verify-${randomUUID().slice(0, 8)}`;
  const totalTimeout = AbortSignal.timeout(timeouts.total);
  const signal = AbortSignal.any([options.signal, totalTimeout]);
  const replyLog: { replies: number; withoutRequestId: string[] } = { replies: 0, withoutRequestId: [] };
  const onReply: ExchangeOptions["onReply"] = (rawRequest, reply) => {
    replyLog.replies += 1;
    if (!hasRequestId(reply)) replyLog.withoutRequestId.push(`${requestName(rawRequest)} (${reply.status})`);
  };
  const exchangeOptions = { baseUrl: target.baseUrl, timeout: timeouts.request, signal, onReply };
  const wait: CheckContext["wait"] = (milliseconds) => after(milliseconds, undefined, { signal });
  const { close, ...callers } = callersOf(target, projectName, exchangeOptions, wait);
  const context: CheckContext = { ...callers, baseUrl: target.baseUrl, projectName, timeouts, replyLog, wait };
  const currentEndReason = (): EndReason =>
    options.signal.aborted ? "interrupted" : totalTimeout.aborted ? "out of time" : null;

  const runCheck = async ({ title, run }: Check): Promise<Finding> => {
    if (signal.aborted) return { title, ...skip(String(currentEndReason())) };
    log(title);
    const result = await run(context).catch((error: unknown) =>
      signal.aborted ? skip(String(currentEndReason())) : fail(messageOf(error)),
    );
    return { title, ...result };
  };
  const runInOrder = async (checks: readonly Check[]): Promise<readonly Finding[]> => {
    const findings: Finding[] = [];
    for (const check of checks) findings.push(await runCheck(check));
    return findings;
  };

  log(`Project ${projectName} at ${target.baseUrl}`);
  try {
    const opening = await runCheck(keyAccepted);
    if (opening.verdict !== "passed") return { findings: [opening], endReason: currentEndReason() };
    const lanes = await Promise.all(plan.lanes.map(runInOrder));
    const last = await runInOrder(plan.last);
    const endReason = currentEndReason();
    const cleanupFindings = await cleanUp(options, projectName);
    return { findings: [opening, ...lanes.flat(), ...last, ...cleanupFindings], endReason };
  } finally {
    close();
  }
};
