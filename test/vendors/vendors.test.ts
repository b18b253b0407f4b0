import { afterAll, beforeAll, describe, inject, test } from "vitest";
import { javaScriptPrograms } from "../../lib/contract/openapi/page/programs/javascript.ts";
import type { Program } from "../../lib/contract/openapi/page/programs/program.ts";
import { getTrace, listTraces } from "../../lib/contract/traces/traces.ts";
import type { Trace } from "../../lib/domain/traces/trace.ts";
import { newProject } from "../support/service/client.ts";
import { type ModelServer, startModelServer, weather } from "./model-server.ts";
import { runProgram } from "./run-program.ts";

const service = inject("service");
let models: ModelServer;
beforeAll(async () => void (models = await startModelServer()));
afterAll(() => models.close());

/** Runs a program in a new project. @returns the result, and the traces that arrived. */
const sentBy = async (program: Program, modelUrl: string, grace?: number) => {
  const project = newProject(service);
  const projectName = String(project.headers["X-Project-Name"]);
  const destination = { serviceUrl: service.baseUrl, apiKey: service.tenant.apiKey, projectName };
  const result = await runProgram(program, destination, modelUrl, grace);
  const { items } = await project.answer(listTraces);
  const traces = await Promise.all(
    items.map(({ trace_id }) => project.answer(getTrace, { params: { trace_id } }) as Promise<Trace>),
  );
  return { ...result, traces };
};

const contains = (value: unknown, text: string): boolean => JSON.stringify(value ?? null).includes(text);

/** Sentences about what a trace lacks of what its program did. */
const missingFrom = ({ code }: Program, { input, output, spans, ...trace }: Trace): readonly string[] => {
  const calls = spans.filter(({ kind, token_usage }) => kind === "LLM" && token_usage !== null);
  const tool = spans.find(({ kind, name }) => kind === "TOOL" && name.includes(weather.tool));
  const hasTool = code.includes(weather.tool);
  const hasSession = code.includes("chat-7");
  const usages = calls.map(({ token_usage }) => [token_usage?.prompt_tokens, token_usage?.completion_tokens]);
  const facts: Readonly<Record<string, boolean>> = {
    "Its input has the question.": contains(input, weather.question),
    "Its output has the answer.": contains(output, weather.answer),
    "It is completed.": trace.status === "COMPLETED",
    "Each model call is a span, once.": calls.length === (hasTool ? 2 : 1),
    "Its model calls have the model.": calls.every(({ model }) => model === weather.model),
    "Its model calls have their tokens.": usages.every(
      ([prompt, completion]) => prompt === weather.promptTokens && completion === weather.completionTokens,
    ),
    "Its tool call has its argument and its result.":
      !hasTool || (contains(tool?.input, weather.city) && contains(tool?.output, "sunny")),
    "It has the session and the user.": !hasSession || (trace.session_id === "chat-7" && trace.user_id === "mia"),
  };
  return Object.keys(facts).filter((fact) => facts[fact] === false);
};

/** Longest delay of an exporter in milliseconds, with a margin: Mastra's is five seconds. */
const exportDelay = 6_500;

/** Programs whose instrumentation sends nothing of a failed call, as their pages say. */
const silentAboutErrors: ReadonlySet<string> = new Set(["openai-js"]);

describe.concurrent.each(javaScriptPrograms)("the program of /docs/$topic", (program) => {
  test("sends one trace before it ends, with question, answer, model, tokens, tool and session", async ({ expect }) => {
    const { exitCode, output, traces } = await sentBy(program, models.url);

    expect(exitCode, output).toBe(0);
    expect(traces).toHaveLength(1);
    expect(traces.flatMap((trace) => missingFrom(program, trace))).toEqual([]);
  });

  test("sends the error of its model", async ({ expect }) => {
    const { exitCode, output, traces } = await sentBy(program, models.failingUrl, exportDelay);

    const failedSpans = traces.flatMap(({ spans }) => spans.filter(({ status }) => status === "ERROR"));

    expect(exitCode, output).toBe(1);
    expect(traces).toHaveLength(silentAboutErrors.has(program.topic) ? 0 : 1);
    expect(failedSpans.some((span) => contains(span, weather.failure))).toBe(!silentAboutErrors.has(program.topic));
  });
});
