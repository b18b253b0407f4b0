import { randomUUID } from "node:crypto";
import Table from "cli-table3";
import type { Headers } from "../support/service/client.ts";
import { caller } from "../model/caller.ts";
import { type Random, seeded } from "../support/random.ts";
import { rawReply } from "../support/service/raw-reply.ts";
import { startService } from "../support/service/service.ts";
import { median } from "./median.ts";

const [spanCount, rounds] = [5_000, 9];
/** Maximum number of spans in a request body. */
const maxSpans = 500;
const firstStart = Date.UTC(2026, 9, 1);

const words = ["order", "parcel", "invoice", "refund", "customer", "policy", "ticket", "query", "answer"] as const;
const prose = (random: Random, length: number): string =>
  Array.from({ length }, () => (random.chance(0.3) ? String(random.below(100_000)) : random.pick(words))).join(" ");

/** A trace of a long-running agent, whose spans are model or tool calls with input and output. */
const longTrace = (random: Random) => {
  const [trace_id, root] = [randomUUID(), randomUUID()];
  const spans = Array.from({ length: spanCount }, (_, index) => {
    const isModel = random.chance(0.5);
    const startedAt = firstStart + index * 450;
    return {
      span_id: index === 0 ? root : randomUUID(),
      ...(index > 0 && { parent_span_id: root }),
      name: isModel ? "chat" : random.pick(["search_docs", "get_order", "run_sql"]),
      kind: isModel ? "LLM" : "TOOL",
      status: random.chance(0.03) ? "ERROR" : "OK",
      started_at: new Date(startedAt).toISOString(),
      ended_at: new Date(startedAt + 400).toISOString(),
      input: { query: prose(random, 12) },
      output: { text: prose(random, 30) },
      ...(isModel && { model: "gpt-5.4-mini", token_usage: { prompt_tokens: 400 + index, completion_tokens: 120 } }),
    };
  });
  return {
    trace_id,
    name: "research-agent",
    session_id: "long",
    started_at: new Date(firstStart).toISOString(),
    spans,
  };
};

/** A measured request, its number of repetitions, and its measurements. */
interface AnswerCase {
  readonly name: string;
  readonly path: string;
  readonly headers?: Headers;
  readonly method?: "HEAD";
}

/** Prints the sizes of large replies in each encoding, and the service's response times on this machine. */
export const benchAnswers = async (seed: number): Promise<void> => {
  const service = await startService({ sharedThreads: false, limitFactor: 300 });
  const credentials = { "X-API-Key": service.tenant.apiKey, "X-Project-Name": "bench" };
  const long = longTrace(seeded(seed));
  const call = caller(service.baseUrl, credentials);
  const post = async (path: string, body: unknown): Promise<void> => {
    const { status } = await call("POST", path, { body: JSON.stringify(body) });
    if (status > 202) throw new Error(`${path} was answered ${status}.`);
  };
  await post("/traces", { ...long, spans: long.spans.slice(0, maxSpans) });
  for (let from = maxSpans; from < spanCount; from += maxSpans)
    await post(`/traces/${long.trace_id}/spans`, long.spans.slice(from, from + maxSpans));
  const trace = `/traces/${long.trace_id}`;
  const table = new Table({
    head: ["answer", "Accept-Encoding", "status", "bytes", "ms: median (least to most)"],
    style: { head: [], border: [] },
    colAligns: ["left", "left", "right", "right", "right"],
  });
  const measure = async ({ name, path, headers = {}, method }: AnswerCase, accepted?: string): Promise<void> => {
    const requestHeaders = { ...credentials, ...headers, "Accept-Encoding": accepted };
    const times: number[] = [];
    let reply = await rawReply(service, path, requestHeaders, method);
    for (let round = 0; round < rounds; round += 1) {
      const from = performance.now();
      reply = await rawReply(service, path, requestHeaders, method);
      times.push(performance.now() - from);
    }
    const [medianTime, minTime, maxTime] = [median(times), Math.min(...times), Math.max(...times)].map((time) =>
      time.toFixed(0),
    );
    table.push([name, accepted ?? "", reply.status, reply.bytes.length, `${medianTime} (${minTime} to ${maxTime})`]);
  };
  const forms: readonly AnswerCase[] = [
    { name: "trace", path: trace },
    { name: "its skeleton", path: `${trace}?fields=skeleton` },
    { name: "its session", path: "/sessions/long" },
    { name: "its session's skeleton", path: "/sessions/long?fields=skeleton" },
    { name: "/docs", path: "/docs" },
    { name: "/console", path: "/console" },
    { name: "/openapi.json", path: "/openapi.json" },
    { name: "list of prices (by the gateway)", path: "/prices" },
  ];
  for (const form of forms) for (const accepted of [undefined, "gzip", "br"]) await measure(form, accepted);
  await measure({ name: "one span", path: `${trace}/spans/${long.spans[1]?.span_id}` });
  const fullReply = await rawReply(service, trace, credentials);
  const ofSession = await rawReply(service, "/sessions/long", credentials);
  const tagged = (tag: string | undefined): Headers => ({ "If-None-Match": tag });
  await measure({ name: "trace, unchanged", path: trace, headers: tagged(fullReply.headers.etag) });
  await measure({ name: "session, unchanged", path: "/sessions/long", headers: tagged(ofSession.headers.etag) });
  await measure({ name: "HEAD of the trace", path: trace, method: "HEAD" });
  await service.close();
  console.log(`${spanCount} spans, ${Buffer.byteLength(JSON.stringify(long))} bytes as sent\n${table.toString()}`);
};
