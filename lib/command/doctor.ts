import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "../client/client.ts";
import { NotFoundError } from "../client/errors.ts";
import { credentialHeaders } from "../client/credentials.ts";
import type { Command } from "./command.ts";
import type { Connection } from "./connection.ts";
import { CommandError, exitCodes, errorSentence } from "./failure.ts";
import { commonFlags, jsonSwitch } from "./flags.ts";
import { printReply, red } from "./terminal.ts";
import { definitionList, plainLine } from "./text.ts";

/** Largest difference of the clocks in seconds: spans of a wrong clock miss the time ranges that people look at. */
const maxSkew = 60;

/** Milliseconds until which a sent span has to be readable. */
const arrival = 30_000;

type Verdict = "ok" | "FAILED" | "skipped";

/** Sends a span as OpenTelemetry does, waits until its trace can be read, and deletes it. @returns what happened. */
const sendSpan = async ({ url, credentials, client }: Connection): Promise<string> => {
  const [traceId, spanId] = [randomBytes(16).toString("hex"), randomBytes(8).toString("hex")];
  const begin = Date.now();
  const time = `${begin}000000`;
  const span = { traceId, spanId, name: "assay doctor", startTimeUnixNano: time, endTimeUnixNano: time };
  const reply = await fetch(`${url}/v1/traces`, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...(await credentialHeaders(credentials ?? undefined, "project")) },
    body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }),
    signal: AbortSignal.timeout(arrival),
  });
  if (!reply.ok) throw new CommandError(`POST ${url}/v1/traces was answered ${reply.status}: ${await reply.text()}`);
  const id = traceId.replace(/^(.{8})(.{4})(.{4})(.{4})/u, "$1-$2-$3-$4-");
  await untilReadable(client, id, begin + arrival);
  const seconds = ((Date.now() - begin) / 1_000).toFixed(1);
  await client.deleteTrace({ path: { trace_id: id } });
  return `sent, read after ${seconds} s, and deleted`;
};

const untilReadable = async (client: Client, id: string, end: number): Promise<void> => {
  for (;;) {
    try {
      await client.getTrace({ path: { trace_id: id } });
      return;
    } catch (error) {
      if (!(error instanceof NotFoundError) || Date.now() > end) throw error;
    }
    await sleep(500);
  }
};

/** `assay doctor`: checks address, clock, key and project, and that a span arrives. */
export const doctorCommand: Command = {
  usage: "doctor [flags]",
  summary: "checks address, clock, key, project, and that a span arrives",
  description:
    "Checks one after the other what a program needs, and sends a span, which it deletes again. A failed check makes the exit code 1; " +
    "those that depend on it are skipped.",
  flags: { json: jsonSwitch, ...commonFlags },
  run: async ({ terminal, connect }) => {
    const connection = connect();
    const { url, credentials, clientWith, client } = connection;
    const results: { check: string; result: Verdict; details: string }[] = [];
    let isSound = true;
    /** Runs a check, unless an earlier one has failed. It returns details, or null for the reason why it is skipped. */
    const check = async (name: string, work: () => Promise<string | readonly [skipped: string]>): Promise<void> => {
      let [result, details]: [Verdict, string] = ["skipped", "an earlier check failed"];
      if (isSound) {
        terminal.progress(`${name} …`);
        try {
          const outcome = await work();
          [result, details] = typeof outcome === "string" ? ["ok", outcome] : ["skipped", outcome[0]];
        } catch (error) {
          [result, details] = ["FAILED", errorSentence(error, url)];
          isSound = false;
        }
      }
      results.push({ check: name, result, details });
    };

    let clock = Number.NaN;
    let keyAccess: string | null = null;
    let names: readonly string[] = [];
    let isComplete = false;
    await check("address", async () => {
      const noting = async (...request: Parameters<typeof fetch>): Promise<Response> => {
        const reply = await fetch(...request);
        clock = Date.parse(reply.headers.get("date") ?? "");
        return reply;
      };
      const health = await clientWith({ fetch: noting }).getHealth();
      // A page of another service is no JSON, which the client reads as null.
      if (typeof health?.version !== "string") throw new CommandError(`${url} answers, but is not Assay.`);
      return `${url}, version ${health.version}`;
    });
    await check("clock", async () => {
      const skew = Math.round((Date.now() - clock) / 1_000);
      if (Number.isNaN(skew)) return ["the reply has no date"];
      if (Math.abs(skew) > maxSkew) throw new CommandError(`this clock is ${skew} s ahead of the service's: set it.`);
      return `within ${Math.abs(skew) + 1} s of the service's`;
    });
    await check("key", async () => {
      if (credentials === null) throw new CommandError("there is none: set ASSAY_API_KEY, or run `assay login`.");
      const projects = await client.listReachableProjects({ query: { limit: 200 } });
      keyAccess = projects.key_access;
      names = projects.items.map(({ name }) => name);
      isComplete = names.length === projects.total;
      return `${keyAccess === null ? "a token" : `access ${keyAccess}`}, projects: ${projects.total}`;
    });
    await check("project", async () => {
      const name = credentials !== null && "projectName" in credentials ? credentials.projectName : undefined;
      if (name === undefined) return ["none is named: set ASSAY_PROJECT unless the key has one project"];
      if (names.includes(name)) return name;
      const doubt = isComplete ? "did not exist before" : "is not among the first 200, or did not exist before";
      return `${name}, which ${doubt}: the first request creates it`;
    });
    await check("span", async () => {
      if (keyAccess !== null && keyAccess !== "full")
        return [`a key with the access ${keyAccess} cannot send, read and delete`];
      return sendSpan(connection);
    });
    if (terminal.isForPeople)
      terminal.print(
        definitionList(
          results.map(({ check: name, result, details }) => [
            name,
            `${result === "FAILED" ? red(result) : result}: ${plainLine(details)}`,
          ]),
          terminal.width,
        ),
      );
    else printReply(terminal, results);
    return isSound ? exitCodes.done : exitCodes.failed;
  },
};
