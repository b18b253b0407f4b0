import { randomUUID } from "node:crypto";
import { setTimeout as after } from "node:timers/promises";
import type { Credentials } from "../../lib/client/credentials.ts";
import type { Plan } from "./all-questions.ts";
import { callerWith } from "./client/caller.ts";
import { type ExchangeOptions, openExchange } from "./client/exchange.ts";
import { typedClient } from "./client/typed-client.ts";
import type { Patience } from "./patience.ts";
import { emptyProject } from "./project/empty-project.ts";
import { removeProject } from "./project/remove-project.ts";
import { messageOf } from "./message-of.ts";
import { type Answer, fails, holds, isNamed, nameOf, notAsked, type Question, type Scene } from "./question.ts";
import type { Finding } from "./report/findings-table.ts";
import type { Ended } from "./report/summary.ts";

/** Which deployment is asked, and as whom. */
interface Target {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Of a user who owns the key's organization; null when there is none. */
  readonly bearerToken: string | null;
}

export interface Asking {
  readonly target: Target;
  readonly plan: Plan;
  readonly patience: Patience;
  /** Aborted when no more is to be asked; what was stored is deleted all the same. */
  readonly signal: AbortSignal;
  /** Told what is going on. */
  readonly tell: (line: string) => void;
}

export interface Report {
  readonly findings: readonly Finding[];
  readonly ended: Ended;
}

const keyAccepted: Question = {
  title: "The API key is accepted",
  ask: async ({ project, projectName }) => {
    const metrics = await project.client.listTraceMetrics();
    return holds(`project ${projectName}, ${metrics.length} metrics`);
  },
};

/** Callers over connections of their own. */
const callersOf = ({ apiKey, bearerToken }: Target, projectName: string, options: ExchangeOptions) => {
  const exchange = openExchange(options);
  const clientOf = (credentials?: Credentials) => typedClient(exchange, options.baseUrl, options.patience, credentials);
  const withKey = (key: string) =>
    callerWith(exchange, { "X-API-Key": key, "X-Project-Name": projectName }, clientOf({ apiKey: key, projectName }));
  const withToken = (token: string) => callerWith(exchange, { Authorization: `Bearer ${token}` }, clientOf({ token }));
  return {
    nobody: callerWith(exchange, {}, clientOf()),
    project: withKey(apiKey),
    user: bearerToken === null ? null : withToken(bearerToken),
    callerWithKey: withKey,
    close: exchange.close,
  };
};

/** Deletes what was stored, with time of its own: it has to end well whatever ended the questions. */
const cleanUp = async ({ target, patience, tell }: Asking, projectName: string): Promise<readonly Finding[]> => {
  const signal = AbortSignal.timeout(patience.cleanup);
  const options = { baseUrl: target.baseUrl, patience: patience.request, signal, witness: () => undefined };
  const { project, user, close } = callersOf(target, projectName, options);
  const step = async (title: string, act: () => Promise<Answer>): Promise<Finding> => {
    tell(title);
    return { title, ...(await act().catch((error: unknown) => fails(messageOf(error)))) };
  };
  const wait = (milliseconds: number): Promise<void> => after(milliseconds, undefined, { signal });
  try {
    return [
      await step("What was stored is deleted", () => emptyProject(project, wait, patience.look)),
      await step("The project is removed", () => removeProject(user, projectName)),
    ];
  } finally {
    close();
  }
};

/** Asks everything, deletes what that stored, and removes the project where a token lets it. */
export const verify = async (asking: Asking): Promise<Report> => {
  const { target, plan, patience, tell } = asking;
  const projectName = `verify-${randomUUID().slice(0, 8)}`;
  const time = AbortSignal.timeout(patience.total);
  const signal = AbortSignal.any([asking.signal, time]);
  const seen: { replies: number; unnamed: string[] } = { replies: 0, unnamed: [] };
  const witness: ExchangeOptions["witness"] = (wire, reply) => {
    seen.replies += 1;
    if (!isNamed(reply)) seen.unnamed.push(`${nameOf(wire)} (${reply.status})`);
  };
  const options = { baseUrl: target.baseUrl, patience: patience.request, signal, witness };
  const { close, ...callers } = callersOf(target, projectName, options);
  const wait: Scene["wait"] = (milliseconds) => after(milliseconds, undefined, { signal });
  const scene: Scene = { ...callers, baseUrl: target.baseUrl, projectName, patience, seen, wait };
  const whyEnded = (): Ended => (asking.signal.aborted ? "interrupted" : time.aborted ? "out of time" : null);

  const ask = async ({ title, ask: question }: Question): Promise<Finding> => {
    if (signal.aborted) return { title, ...notAsked(String(whyEnded())) };
    tell(title);
    const answer = await question(scene).catch((error: unknown) =>
      signal.aborted ? notAsked(String(whyEnded())) : fails(messageOf(error)),
    );
    return { title, ...answer };
  };
  const inTurn = async (questions: readonly Question[]): Promise<readonly Finding[]> => {
    const findings: Finding[] = [];
    for (const question of questions) findings.push(await ask(question));
    return findings;
  };

  tell(`Project ${projectName} at ${target.baseUrl}`);
  try {
    const opening = await ask(keyAccepted);
    if (opening.verdict !== "holds") return { findings: [opening], ended: whyEnded() };
    const lanes = await Promise.all(plan.lanes.map(inTurn));
    const last = await inTurn(plan.last);
    const ended = whyEnded();
    const cleaned = await cleanUp(asking, projectName);
    return { findings: [opening, ...lanes.flat(), ...last, ...cleaned], ended };
  } finally {
    close();
  }
};
