import { createWriteStream, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { finished } from "node:stream/promises";
import { expect, test } from "vitest";
import { ownProcess, ownThread } from "../../../../infra/local/lambda/channel.ts";
import { startSandbox } from "../../../../infra/local/lambda/sandbox.ts";
import { temporaryDirectory } from "../../../support/service/local-fixture.ts";

test.each([
  ["thread", ownThread],
  ["process", ownProcess],
])(
  "a function whose start takes too long, as a %s, is reported in its log and in the call's error",
  async (_, start) => {
    const directory = temporaryDirectory();
    const [runtime, log] = [join(directory, "never-ready.mjs"), join(directory, "Stuck.log")];
    writeFileSync(runtime, "setInterval(() => {}, 1000);");
    const stream = createWriteStream(log);
    const launch = { file: "", handler: "handler", functionName: "Stuck", functionArn: "", memory: 128 };

    const sandbox = startSandbox(start(runtime), { environment: {}, memory: 128, log: stream }, launch, 250);
    const error = await sandbox.call({ requestId: "r", event: "{}", timeout: 60_000, write: () => undefined });
    await sandbox.termination;
    await finished(stream.end());

    expect(error).toEqual({ errorType: "Sandbox.Timedout", errorMessage: "Init timed out after 0.25 seconds" });
    expect(readFileSync(log, "utf8")).toMatch(/^\d{4}-\S+Z Init timed out after 0\.25 seconds\n$/);
  },
);
