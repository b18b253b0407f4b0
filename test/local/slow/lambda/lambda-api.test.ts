import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { defaultBounds } from "../../../../lib/aws/call-bounds.ts";
import { functionInvoker, functionStarter } from "../../../../lib/aws/invoke-function.ts";
import { mappingStates } from "../../../../lib/aws/lambda-requests.ts";
import { restCallPermissions } from "../../../../infra/local/iam/rest-permissions.ts";
import { arn } from "../../../../infra/local/template/arn.ts";
import { eventually, startFixture, temporaryDirectory } from "../../../support/service/local-fixture.ts";

const environmentOf = (endpoint: string) => ({
  AWS_REGION: "us-east-1",
  AWS_ACCESS_KEY_ID: "local",
  AWS_SECRET_ACCESS_KEY: "local",
  AWS_ENDPOINT_URL_LAMBDA: endpoint,
});

test("a function calls another one, waits for its reply, and receives its failure", async () => {
  const stack = await startFixture({
    functions: {
      Echo: { code: "export const handler = async (event) => ({ got: event });" },
      Broken: { code: 'export const handler = async () => { throw new Error("no"); };' },
    },
  });
  const environment = environmentOf(stack.endpoints.LAMBDA);
  const call = functionInvoker(defaultBounds, environment);

  expect(await call("Echo", { name: "é" })).toEqual({ got: { name: "é" } });
  await expect(call("Broken", {})).rejects.toThrow("The call of Broken failed (200).");
  expect(await mappingStates(defaultBounds, environment)("a1b2")).toBe(true);
  const elsewhere = await fetch(`${stack.endpoints.LAMBDA}/2015-03-31/functions`);
  expect(elsewhere.status).toBe(404);
});

test("a function starts another one and does not wait for it", async () => {
  const done = join(temporaryDirectory(), "done");
  const code = `import { writeFileSync } from "node:fs"; import { setTimeout } from "node:timers/promises";
    export const handler = async (event) => { await setTimeout(300); writeFileSync(event.file, "done"); };`;
  const stack = await startFixture({ functions: { Slow: { code } } });
  const start = functionStarter(defaultBounds, environmentOf(stack.endpoints.LAMBDA));

  await start("Slow", { file: done });

  expect(existsSync(done)).toBe(false);
  expect(await eventually(async () => existsSync(done) || undefined)).toBe(true);
});

test("reading the state of a mapping needs a permission on it", () => {
  const url = new URL("http://127.0.0.1/2015-03-31/event-source-mappings/a1b2");

  expect(restCallPermissions("lambda", "GET", url, {})).toEqual([
    { action: "lambda:GetEventSourceMapping", resource: arn("lambda", "event-source-mapping:a1b2") },
  ]);
});

test("calling a function needs a permission on it", () => {
  const url = new URL("http://127.0.0.1/2015-03-31/functions/Maker/invocations");

  expect(restCallPermissions("lambda", "POST", url, {})).toEqual([
    { action: "lambda:InvokeFunction", resource: arn("lambda", "function:Maker") },
  ]);
});
