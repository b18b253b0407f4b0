import { expect, test } from "vitest";
import { defaultBounds } from "../../../lib/aws/call-bounds.ts";
import { functionInvoker } from "../../../lib/aws/invoke-function.ts";
import { mappingStates } from "../../../lib/aws/lambda-requests.ts";
import { restCallPermissions } from "../../../infra/local/iam/rest-permissions.ts";
import { arn } from "../../../infra/local/template/arn.ts";
import { startFixture } from "../../support/service/local-fixture.ts";

test("a function calls another one, waits for its reply, and receives its failure", async () => {
  const stack = await startFixture({
    functions: {
      Echo: { code: "export const handler = async (event) => ({ got: event });" },
      Broken: { code: 'export const handler = async () => { throw new Error("no"); };' },
    },
  });
  const environment = {
    AWS_REGION: "us-east-1",
    AWS_ACCESS_KEY_ID: "local",
    AWS_SECRET_ACCESS_KEY: "local",
    AWS_ENDPOINT_URL_LAMBDA: stack.endpoints.LAMBDA,
  };
  const call = functionInvoker(defaultBounds, environment);

  expect(await call("Echo", { name: "é" })).toEqual({ got: { name: "é" } });
  await expect(call("Broken", {})).rejects.toThrow("The call of Broken failed (200).");
  expect(await mappingStates(defaultBounds, environment)("a1b2")).toBe(true);
  const elsewhere = await fetch(`${stack.endpoints.LAMBDA}/2015-03-31/functions`);
  expect(elsewhere.status).toBe(404);
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
