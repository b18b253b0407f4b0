import { createServer } from "node:http";
import { expect, onTestFinished, test } from "vitest";
import { runDatabase } from "../../../../infra/local/dynamodb/database-process.ts";

test("a server that took the port of a database before it could listen is not mistaken for it", async () => {
  const stranger = createServer((_, response) => void response.writeHead(400).end("{}"));
  onTestFinished(() => void stranger.close());

  const start = runDatabase(
    { add: () => undefined, remove: () => undefined },
    {
      command: process.execPath,
      // A program that tries to listen after a moment, and ends when it cannot.
      parameters: (port) => {
        stranger.listen(port, "127.0.0.1");
        return ["-e", `setTimeout(() => require("node:net").createServer().listen(${port}, "127.0.0.1"), 300)`];
      },
      endsWithInput: false,
      describeFailure: (lastOutput) => lastOutput,
    },
  );

  await expect(start).rejects.toThrow("EADDRINUSE");
});
