import type { Plan } from "../../../infra/verify/all-questions.ts";
import { deployedPatience, type Patience } from "../../../infra/verify/patience.ts";
import type { Question } from "../../../infra/verify/question.ts";
import { exitCodeOf } from "../../../infra/verify/report/summary.ts";
import { type Report, verify } from "../../../infra/verify/verify.ts";
import type { Tenant } from "../../support/service/service.ts";

/** What a test asks otherwise than the command does. */
interface Asked {
  readonly plan: Plan;
  readonly patience?: Partial<Patience>;
  /** Whether the tenant's bearer token is given. */
  readonly withToken?: boolean;
}

/** How an asking ended, and what was told on the way. */
interface Outcome extends Report {
  readonly status: number;
  readonly told: readonly string[];
}

/** Nothing is far away: looks come quickly. */
const near = { ...deployedPatience, look: 50 };

/** Asks the service at an address as a tenant. */
export const asked = async (
  baseUrl: string,
  { apiKey, bearerToken }: Tenant,
  { plan, patience = {}, withToken = false }: Asked,
): Promise<Outcome> => {
  const told: string[] = [];
  const report = await verify({
    target: { baseUrl, apiKey, bearerToken: withToken ? bearerToken : null },
    plan,
    patience: { ...near, ...patience },
    signal: new AbortController().signal,
    tell: (line) => void told.push(line),
  });
  return { ...report, told, status: exitCodeOf(report.findings, report.ended) };
};

/** A plan of one question and of what is asked at the end. */
export const only = (question: Question, ...last: readonly Question[]): Plan => ({ lanes: [[question]], last });
