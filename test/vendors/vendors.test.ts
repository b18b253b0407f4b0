import { afterAll, beforeAll, describe, inject, test } from "vitest";
import { snippets } from "../../lib/console/start/snippets.ts";
import { type Program, programs } from "../../lib/contract/openapi/page/programs/programs.ts";
import { getTrace, listTraces } from "../../lib/contract/traces/traces.ts";
import type { Trace } from "../../lib/domain/traces/trace.ts";
import { newProject } from "../support/service/client.ts";
import { type Installation, installProgram } from "./installation.ts";
import { startModel, weather } from "./model-server.ts";
import { runProgram } from "./run-program.ts";

const service = inject("service");
const versions = process.env["VENDORS"] === "newest" ? "newest" : "pinned";

/** Runs a program in a new project. @returns the result, the model calls, and the traces that arrived. */
const run = async (program: Program, installation: Installation, isFailing: boolean, grace?: number) => {
  const project = newProject(service);
  const projectName = String(project.headers["X-Project-Name"]);
  const destination = { serviceUrl: service.baseUrl, apiKey: service.tenant.apiKey, projectName };
  const model = await startModel(isFailing);
  const { exitCode, output } = await runProgram(program, installation, destination, model, grace);
  model.close();
  const { items } = await project.answer(listTraces);
  const traces = await Promise.all(
    items.map(({ trace_id }) => project.answer(getTrace, { params: { trace_id } }) as Promise<Trace>),
  );
  return { program, exitCode, output, calls: model.calls, traces };
};

type Run = Awaited<ReturnType<typeof run>>;
type Facts = Readonly<Record<string, boolean>>;

const contains = (value: unknown, text: string): boolean => JSON.stringify(value ?? null).includes(text);

/** What should be known of a program whose model answers. */
const factsOf = ({ program, exitCode, calls, traces }: Run): Facts => {
  const spans = traces.flatMap((trace) => trace.spans);
  const replies = spans.filter(({ kind, token_usage }) => kind === "LLM" && token_usage !== null);
  const tools = spans.filter(({ kind, name }) => kind === "TOOL" && name.includes(weather.tool));
  const hasSession = program.code.includes("chat-7");
  return {
    "The program succeeds.": exitCode === 0,
    "One trace arrives.": traces.length === 1,
    "It is completed.": traces.every(({ status }) => status === "COMPLETED"),
    "Its input has the question.": traces.every(({ input }) => contains(input, weather.question)),
    "Its output has the answer.": traces.every(({ output }) => contains(output, weather.answer)),
    "Each model call is a span, once.": replies.length === calls.length,
    "Each model call has its model.": replies.every(({ model }) => calls.some((name) => model?.endsWith(name))),
    "Each model call has its tokens.": replies.every(
      ({ token_usage: usage }) =>
        usage?.prompt_tokens === weather.promptTokens && usage.completion_tokens === weather.completionTokens,
    ),
    "The tool call is a span, once.": tools.length === 1,
    "The tool call has its argument.": tools.every(({ input }) => contains(input, weather.city)),
    "The tool call has its result.": tools.every(({ output }) => contains(output, weather.result)),
    "It has the session and the user.":
      !hasSession || traces.every((trace) => trace.session_id === "chat-7" && trace.user_id === "mia"),
  };
};

/** What should be known of a program whose model refuses. */
const failureFactsOf = ({ traces }: Run): Facts => {
  const failedSpans = traces.flatMap(({ spans }) => spans.filter(({ status }) => status === "ERROR"));
  return {
    "One failed trace arrives.": traces.length === 1,
    "It has failed.": traces.every(({ status }) => status === "ERROR"),
    "The question of the failed trace arrives.": traces.every(({ input }) => contains(input, weather.question)),
    "The error of the model arrives.": failedSpans.some((span) => contains(span, weather.failure)),
  };
};

/** Longest delay of an exporter in milliseconds, with a margin: Mastra's is five seconds. */
const exportDelay = 6_500;

/** Facts that do not arrive from a framework, by topic: each says what to look at when a newer version sends it. */
const unsentFacts: Readonly<Record<string, readonly string[]>> = {
  "openai-agents": ["The question of the failed trace arrives."],
  "openai-agents-js": ["It has failed.", "The question of the failed trace arrives."],
  openlit: ["The question of the failed trace arrives."],
  smolagents: ["It has failed."],
};

/** What moved, by topic: versions, and facts. */
const moves = new Map<string, string[]>();

afterAll(() => {
  for (const [topic, lines] of moves) if (lines.length > 0) console.log([topic, ...lines].join("\n  "));
});

test("Langfuse's program of the console's first page sends a trace", async ({ expect }) => {
  const documented = programs.filter(({ topic }) => topic === "langfuse-python");
  const [result] = await Promise.all(
    documented.map((program) =>
      run({ ...program, code: snippets.langfuse.code }, installProgram(program, versions), false),
    ),
  );

  expect(result?.exitCode, result?.output).toBe(0);
  expect(result?.traces).toMatchObject([
    { status: "COMPLETED", input: { args: [weather.question] }, output: "It is sunny." },
  ]);
});

describe.each(programs)("the program of /docs/$topic:", (program) => {
  const moved: string[] = [];
  let installation: Installation;
  beforeAll(() => {
    moves.set(program.topic, moved);
    moved.push("no more: Its packages can be installed.");
    installation = installProgram(program, versions);
    moved.splice(0, 1, ...installation.packages.filter((item) => !program.packages.includes(item)));
  });

  /** Facts that did not arrive, and those that the framework does not send. */
  const compare = (facts: Facts): { readonly missing: readonly string[]; readonly unsent: readonly string[] } => {
    const missing = Object.keys(facts).filter((fact) => facts[fact] === false);
    const unsent = (unsentFacts[program.topic] ?? []).filter((fact) => fact in facts);
    moved.push(...missing.filter((fact) => !unsent.includes(fact)).map((fact) => `no more: ${fact}`));
    moved.push(...unsent.filter((fact) => !missing.includes(fact)).map((fact) => `new: ${fact}`));
    return { missing, unsent };
  };

  test("question, answer, model, tokens, tool and session arrive before it ends", async ({ expect }) => {
    const result = await run(program, installation, false);

    const { missing, unsent } = compare(factsOf(result));

    expect(missing, result.output).toEqual(unsent);
  });

  test("the error of its model arrives", async ({ expect }) => {
    const result = await run(program, installation, true, exportDelay);

    const { missing, unsent } = compare(failureFactsOf(result));

    expect(missing, result.output).toEqual(unsent);
  });
});
