import { setTimeout as wait } from "node:timers/promises";
import { randomBytes } from "node:crypto";
import { ApiError } from "../../lib/client/errors.ts";
import type { Client } from "../../lib/client/client.ts";
import { traceUuid } from "../../lib/otlp/wire/span-ids.ts";
import { type CheckResult, fail, pass, passUnless } from "../verify/check.ts";
import { inDollars } from "../verify/figures.ts";
import { judgeTraces, maxCostUsd, waitUntil } from "./judge-traces.ts";

/** A step of a proof: what is done, as a sentence without a full stop. */
export interface Step {
  readonly title: string;
  /** Runs the step. A thrown error counts as failed. */
  readonly run: () => Promise<CheckResult>;
}

/** The service that is proved: its typed client and the headers of requests that have none. */
export interface ProvedService {
  readonly client: Client;
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
}

const exportedSpans = 100;
/** Every twentieth trace ends with an error, of which the alert tells. */
const errorEvery = 20;

const text = (key: string, value: string) => ({ key, value: { stringValue: value } });

/** Returns an OTLP export of spans that are a trace each. */
const exportOf = (ids: readonly string[], first: number) => ({
  resourceSpans: [
    {
      scopeSpans: [
        {
          spans: ids.map((traceId, at) => {
            const [start, order] = [BigInt(Date.now() - 2_000) * 1_000_000n, first + at];
            return {
              traceId,
              spanId: randomBytes(8).toString("hex"),
              name: "proof",
              startTimeUnixNano: String(start),
              endTimeUnixNano: String(start + 1_500_000_000n),
              attributes: [
                text("input.value", `Where is my order ${order}?`),
                text("output.value", `Order ${order} left our warehouse and arrives tomorrow.`),
              ],
              status: { code: order % errorEvery === 0 ? 2 : 1 },
            };
          }),
        },
      ],
    },
  ],
});

/** Milliseconds until all traces are counted, and until a rule has decided: its first window is evaluated within four minutes. */
const [countTimeout, alertTimeout] = [300_000, 480_000];

/** Attempts of an export that is told to come again, each after the time that the reply names. */
const exportAttempts = 10;

/** Sends an export as exporters do: again where the reply asks for it. Stored traces are not stored twice. */
const sendExport = async (send: () => Promise<Response>, attempt = 1): Promise<Response> => {
  const reply = await send();
  if (![429, 503].includes(reply.status) || attempt === exportAttempts) return reply;
  await reply.text();
  await wait(1000 * Math.max(1, Number(reply.headers.get("Retry-After"))));
  return sendExport(send, attempt + 1);
};

/** Creates the steps that need the API alone. @param service known when the first of them runs @param traceCount traces to send, a multiple of a hundred */
export const serviceSteps = (
  service: () => ProvedService,
  { traceCount, model }: { readonly traceCount: number; readonly model: string },
) => {
  const traceIds: string[] = [];
  const send: Step = {
    title: `${traceCount.toLocaleString("en")} traces are sent by OTLP, and counted exactly`,
    run: async () => {
      const { client, baseUrl, headers } = service();
      const begin = performance.now();
      while (traceIds.length < traceCount) {
        const ids = Array.from({ length: exportedSpans }, () => randomBytes(16).toString("hex"));
        const body = JSON.stringify(exportOf(ids, traceIds.length));
        const reply = await sendExport(() =>
          fetch(`${baseUrl}/v1/traces`, {
            method: "POST",
            headers: { ...headers, "Content-Type": "application/json" },
            body,
          }),
        );
        const answer = await reply.text();
        // An export without refused spans has an empty answer.
        if (reply.status !== 200 || answer.includes("rejected")) return fail(`an export was answered ${answer}`);
        traceIds.push(...ids.map(traceUuid));
      }
      const seconds = (performance.now() - begin) / 1000;
      const count = await waitUntil(
        "the count of all traces",
        countTimeout,
        async () => (await client.listTraces({ query: { limit: 1 } })).total,
        (total) => total >= traceCount,
      );
      return passUnless(
        count === traceCount ? [] : [`${count} traces are stored`],
        `${(traceCount / seconds).toFixed(0)} traces a second from one program`,
      );
    },
  };
  const judge: Step = {
    title: `100 traces are judged by a model, for less than $${maxCostUsd}`,
    run: async () => {
      const judged = traceIds.slice(0, 100);
      const { run, scores } = await judgeTraces(service().client, judged, model);
      const failed = scores.filter(({ status }) => status !== "SUCCESS").length;
      const { cost_usd } = run.judge_usage;
      return passUnless(
        [
          ...(scores.length === judged.length ? [] : [`${scores.length} scores (${run.error_message ?? run.status})`]),
          ...(failed === 0 ? [] : [`${failed} judgements failed`]),
          ...(cost_usd !== null && cost_usd < maxCostUsd ? [] : [`the cost was ${inDollars(cost_usd)}`]),
        ],
        `${model}: ${run.judge_usage.calls} calls, ${inDollars(cost_usd)}`,
      );
    },
  };
  const alert: Step = {
    title: "An alert rule about the share of errors is raised",
    run: async () => {
      const { client } = service();
      const begin = performance.now();
      const body = {
        name: "errors",
        signal: "error_rate",
        window: "5m",
        threshold: 0.01,
        significance: false,
      } as const;
      const { id } = await client.createAlert({ body });
      const { last_evaluation } = await waitUntil(
        "the alert",
        alertTimeout,
        () => client.getAlert({ path: { alert_id: id } }),
        ({ state }) => state === "ALERT",
      );
      const seconds = Math.round((performance.now() - begin) / 1000);
      return pass(`${last_evaluation?.count} traces, share ${last_evaluation?.value?.toFixed(3)}, after ${seconds} s`);
    },
  };
  /** @param deleteProject deletes the project of the traces */
  const erase = (deleteProject: () => Promise<void>): Step => ({
    title: "A deleted project's traces are gone",
    run: async () => {
      const { client } = service();
      await deleteProject();
      const path = { trace_id: traceIds[0] ?? "" };
      const isGone = (): Promise<boolean> =>
        client.getTrace({ path }).then(
          () => false,
          (error: unknown) => error instanceof ApiError && [403, 404].includes(error.status),
        );
      await waitUntil("the end of the project", countTimeout, isGone, Boolean);
      return pass("for its key; workers erase the data, and its receipt is proved after two sweeps");
    },
  });
  return { send, judge, alert, erase };
};
