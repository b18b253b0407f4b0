import { writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "../client/client.ts";
import type { Gate, GateInput, GateRule } from "../client/interface.ts";
import type { Command, CommandContext } from "./command.ts";
import type { Connection } from "./connection.ts";
import { CommandError, errorSentence } from "./failure.ts";
import { commonFlags, flagText, flagTexts, listFlag, type ParsedFlags, positiveNumber, textFlag } from "./flags.ts";
import { readJson } from "./json-argument.ts";
import { printReply, type Terminal } from "./terminal.ts";

/** Seconds that a gate waits by default for traces and scores. */
const defaultTimeout = 600;

/** Seconds that one request waits, below its time-out. */
const requestWait = 20;

/** Milliseconds between two reads of an experiment whose traces arrive. */
const interval = 4_000;

/** Parses `metric:max_drop=0.05` or `max_cost_increase=0.2`; the metric's name may contain a colon. */
const ruleOf = (text: string): GateRule => {
  const { metric, kind, amount } =
    /^(?:(?<metric>.+):)?(?<kind>max_drop|min_rate|min_mean|max_(?:cost|latency)_increase)=(?<amount>[\d.]+)$/u.exec(
      text,
    )?.groups ?? {};
  const isOfMetric = kind?.endsWith("_increase") === false;
  if (kind === undefined || isOfMetric !== (metric !== undefined) || Number.isNaN(Number(amount)))
    throw new CommandError(`--rule must be like task_completion:max_drop=0.05 or max_cost_increase=0.2, not ${text}.`);
  return { metric, [kind]: Number(amount) };
};

/** Waits until the traces of an experiment have arrived: until it is listed and their number stays. @returns its id. */
const findExperiment = async (client: Client, name: string, end: number, { progress }: Terminal): Promise<string> => {
  let count = 0;
  while (Date.now() < end) {
    const { items } = await client.listExperiments({ query: { name, limit: 200 } });
    const id = items.find((experiment) => experiment.name === name)?.id;
    const arrived = id === undefined ? 0 : (await client.getExperiment({ path: { experiment_id: id } })).trace_count;
    if (id !== undefined && arrived > 0 && arrived === count) return id;
    count = arrived;
    progress(`Experiment ${name}: ${count} traces so far …`);
    await sleep(Math.min(interval, Math.max(0, end - Date.now())));
  }
  throw new CommandError(`The experiment ${name} has ${count === 0 ? "no traces" : "traces that still arrive"}.`);
};

/** Returns the gate that flags describe, once its candidate is known. */
const inputOf = async (client: Client, flags: ParsedFlags, end: number, terminal: Terminal): Promise<GateInput> => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the service checks each field and names what is wrong.
  const base = readJson(flagText(flags, "json") ?? "{}") as Partial<GateInput>;
  // What flags say is checked before anything is waited for.
  const rules = [...(base.rules ?? []), ...flagTexts(flags, "rule").map(ruleOf)];
  const onCannotTell = flagText(flags, "on-cannot-tell") ?? base.on_cannot_tell;
  if (onCannotTell !== undefined && onCannotTell !== "pass" && onCannotTell !== "fail")
    throw new CommandError(`--on-cannot-tell must be pass or fail, not ${onCannotTell}.`);
  const name = flagText(flags, "experiment");
  const candidate = name === undefined ? base.candidate : await findExperiment(client, name, end, terminal);
  if (candidate === undefined)
    throw new CommandError("A gate needs --experiment NAME, or --json BODY with a candidate.");
  return {
    ...base,
    candidate,
    rules,
    baseline: flagText(flags, "baseline") ?? base.baseline,
    on_cannot_tell: onCannotTell,
  };
};

/** Evaluates a gate until it is decided. @returns the last reply, which may be `running` at the end. */
const evaluate = async (client: Client, body: GateInput, end: number, { progress }: Terminal): Promise<Gate> => {
  for (;;) {
    const wait = Math.min(requestWait, Math.max(0, Math.floor((end - Date.now()) / 1_000)));
    const gate = await client.evaluateGate({ body: { ...body, wait } });
    if (gate.status !== "running" || Date.now() >= end) return gate;
    const { trace_ids: traces = [], run_ids: runs = [] } = gate.awaited ?? {};
    progress(`Waiting for ${traces.length} traces and ${runs.length} runs …`);
    await sleep(Math.min(interval, Math.max(0, end - Date.now())));
  }
};

/** Reads the gate's comment for a pull request. */
const markdownOf = async ({ clientWith }: Connection, input: GateInput): Promise<string> => {
  let comment = "";
  const reading = clientWith({
    fetch: async (url, init) => {
      const headers = new Headers(init?.headers);
      headers.set("Accept", "text/markdown");
      const reply = await fetch(url, { ...init, headers });
      comment = await reply.clone().text();
      return reply;
    },
  });
  await reading.evaluateGate({ body: { ...input, wait: 0 } });
  return comment;
};

const run = async ({ flags, terminal, connect }: CommandContext): Promise<number> => {
  const connection = connect();
  const { client, url } = connection;
  const markdown = flagText(flags, "markdown");
  const maxCost = positiveNumber(flags, "max-cost-usd");
  const end = Date.now() + (positiveNumber(flags, "timeout") ?? defaultTimeout) * 1_000;
  try {
    const input = await inputOf(client, flags, end, terminal);
    const metrics = flagTexts(flags, "judge");
    if (metrics.length > 0) {
      if (typeof input.candidate !== "string") throw new CommandError("--judge needs an experiment, not filters.");
      const body = { metrics, max_cost_usd: maxCost };
      await client.createExperimentRun({ path: { experiment_id: input.candidate }, body });
    }
    const gate = await evaluate(client, input, end, terminal);
    if (markdown !== undefined) writeFileSync(markdown, await markdownOf(connection, input));
    // A reader that closes the pipe while the gate is printed ends the process: with its verdict.
    process.exitCode = gate.exit_code;
    if (terminal.isForPeople) terminal.print(`Gate: ${gate.status}`);
    const rows = gate.outcomes.map(({ rule, ...outcome }) => ({ rule: JSON.stringify(rule), ...outcome }));
    printReply(terminal, terminal.isForPeople ? rows : gate);
    return gate.exit_code;
  } catch (error) {
    if (markdown !== undefined) writeFileSync(markdown, `The gate was not evaluated: ${errorSentence(error, url)}\n`);
    throw error;
  }
};

/** `assay gate`: decides whether an experiment may pass, for continuous integration. */
export const gateCommand: Command = {
  usage: "gate --experiment NAME [--baseline approved] --rule METRIC:RULE=NUMBER ... [flags]",
  summary: "decides whether a release may pass; its exit code tells",
  description:
    "Waits for the traces of an experiment and their scores, and evaluates a gate. Exit code: 0 pass, 1 fail, 3 cannot tell or still " +
    "running; --on-cannot-tell makes cannot tell a 0 or a 1. 2 means that the gate was not evaluated.",
  flags: {
    experiment: textFlag("NAME", "Experiment that is to pass; waits until its traces have arrived."),
    baseline: textFlag("ID", "Experiment to compare with, or approved."),
    rule: listFlag(
      "RULE",
      "METRIC:max_drop=N, METRIC:min_rate=N, METRIC:min_mean=N, max_cost_increase=N or max_latency_increase=N.",
    ),
    json: textFlag("BODY", "Body of POST /evaluations/gates, @FILE or -; the other flags come on top."),
    judge: listFlag("METRIC", "Starts a run with this metric first."),
    "max-cost-usd": textFlag("USD", "Cost ceiling of this run."),
    "on-cannot-tell": textFlag("pass|fail", "Exit code if the data do not decide: 0 or 1 instead of 3."),
    markdown: textFlag("FILE", "Writes the comment for a pull request."),
    timeout: textFlag("SECONDS", `Waits at most this time, by default ${defaultTimeout} s.`),
    ...commonFlags,
  },
  run,
};
