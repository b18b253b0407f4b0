import { derivedUuid } from "../../lib/domain/access/identity.ts";
import { instantAt } from "../../lib/domain/instant.ts";
import type { IdentifiedSpan, IdentifiedTrace } from "../../lib/domain/traces/input.ts";

const words = (
  "order parcel invoice refund customer address delivery warehouse policy ticket agent tool query result document " +
  "section paragraph summary table index value threshold window latency error retry limit schedule account region " +
  "payment currency balance transfer statement approval review comment change version release branch commit build " +
  "test report incident alert metric trace span session model prompt answer question context source citation"
).split(" ");

const syllables = ["ka", "lo", "mi", "ren", "tas", "vel", "or", "un", "dra", "si", "pho", "gen", "wel", "bri", "nok"];

const pick = <Item>(random: () => number, items: readonly Item[]): Item => {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error("There is nothing to pick from.");
  return item;
};

const name = (random: () => number): string =>
  Array.from({ length: 2 + Math.floor(random() * 3) }, () => pick(random, syllables)).join("");

const prose = (random: () => number, length: number): string => {
  let text = "";
  while (text.length < length) {
    const roll = random();
    text += roll < 0.6 ? pick(random, words) : roll < 0.9 ? name(random) : String(Math.floor(random() * 100_000));
    text += random() < 0.1 ? ". " : " ";
  }
  return text.slice(0, length);
};

const kinds = ["LLM", "TOOL", "RETRIEVER"] as const;

const spanOf = (
  random: () => number,
  seed: string,
  index: number,
  start: number,
  history: string[],
): IdentifiedSpan => {
  const kind = pick(random, kinds);
  const from = start + 300 + index * 450;
  const answerText = prose(random, 900 + random() * 900);
  history.push(answerText);
  const messages = history.slice(-4).map((content, turn) => ({ role: turn % 2 === 0 ? "user" : "assistant", content }));
  return {
    span_id: derivedUuid("bench span", seed, String(index)),
    parent_span_id: derivedUuid("bench span", seed, "0"),
    name: kind === "LLM" ? "chat" : pick(random, ["search_docs", "get_order", "run_sql", "fetch_page"]),
    kind,
    status: random() < 0.03 ? "ERROR" : "OK",
    input: kind === "LLM" ? { messages } : { query: prose(random, 60), limit: 5 },
    output:
      kind === "LLM"
        ? { role: "assistant", content: answerText }
        : { results: [{ id: name(random), snippet: answerText }] },
    model: kind === "LLM" ? "gpt-5.4-mini" : null,
    token_usage: kind === "LLM" ? { prompt_tokens: 400 + index * 90, completion_tokens: 120 } : null,
    cost: kind === "LLM" ? { total: 0.0004 } : null,
    started_at: instantAt(from),
    ended_at: instantAt(from + 400),
  };
};

/**
 * Generates a trace typical of production agents: 20 spans, conversations that grow from call to call, about 65 KB of
 * JSON.
 * @param random seeded source; equal seeds generate equal traces.
 * @param start epoch milliseconds.
 */
export const generateTrace = (random: () => number, seed: string, start: number): IdentifiedTrace => {
  const question = prose(random, 240);
  const history = [question];
  const root: IdentifiedSpan = {
    span_id: derivedUuid("bench span", seed, "0"),
    name: "agent",
    kind: "AGENT",
    status: "OK",
    input: { query: question },
    started_at: instantAt(start),
    ended_at: instantAt(start + 10_000),
  };
  return {
    trace_id: derivedUuid("bench trace", seed),
    name: pick(random, ["support-agent", "research-agent", "data-analyst", "code-review"]),
    status: random() < 0.05 ? "ERROR" : "COMPLETED",
    started_at: instantAt(start),
    ended_at: instantAt(start + 10_000),
    input: { messages: [{ role: "user", content: question }] },
    output: { messages: [{ role: "assistant", content: prose(random, 600) }] },
    metadata: { host: name(random), region: "eu-central-1" },
    session_id: `session-${Math.floor(random() * 1000)}`,
    user_id: `user-${Math.floor(random() * 500)}`,
    environment: "production",
    release: "2026.11.1",
    tags: ["prod"],
    spans: [root, ...Array.from({ length: 19 }, (_, index) => spanOf(random, seed, index + 1, start, history))],
  };
};
