import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { repository } from "../../../../infra/local/repository.ts";
import type { CheckPlan } from "../../../../infra/verify/all-checks.ts";
import { deployedTimeouts, type Timeouts } from "../../../../infra/verify/timeouts.ts";
import type { Check } from "../../../../infra/verify/check.ts";
import { exitCodeOf } from "../../../../infra/verify/report/summary.ts";
import { type Report, verify } from "../../../../infra/verify/verify.ts";
import type { Tenant } from "../../../support/service/service.ts";

/** Options of a verification that differ from those of the command. */
interface VerifyOptions {
  readonly plan: CheckPlan;
  readonly timeouts?: Partial<Timeouts>;
  /** True to send the tenant's bearer token. */
  readonly withToken?: boolean;
}

/** Result of a verification, with its messages. */
interface Outcome extends Report {
  readonly status: number;
  readonly lines: readonly string[];
}

/** Retry policy with short waits between reads. */
const near = { ...deployedTimeouts, pollInterval: 250 };

/** Verifies the service at an address as a tenant. */
export const askQuestions = async (
  baseUrl: string,
  { apiKey, bearerToken }: Tenant,
  { plan, timeouts = {}, withToken = false }: VerifyOptions,
): Promise<Outcome> => {
  const lines: string[] = [];
  const report = await verify({
    target: { baseUrl, apiKey, bearerToken: withToken ? bearerToken : null },
    plan,
    timeouts: { ...near, ...timeouts },
    signal: new AbortController().signal,
    log: (line) => void lines.push(line),
  });
  return { ...report, lines, status: exitCodeOf(report.findings, report.endReason) };
};

/** A plan of one check, and of the checks at the end. */
export const only = (question: Check, ...last: readonly Check[]): CheckPlan => ({ lanes: [[question]], last });

/** Starts `npm run verify` with flags; `output` resolves with what it has printed on both streams. */
export const startCommand = (...flags: readonly string[]) => {
  const child = spawn(process.execPath, ["infra/verify/run.ts", ...flags], { cwd: repository });
  return { child, output: Promise.all([text(child.stdout), text(child.stderr)]) };
};
