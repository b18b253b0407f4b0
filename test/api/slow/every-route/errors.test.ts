import { inject, expect, test } from "vitest";
import { getDocs } from "../../../../lib/contract/openapi/documentation.ts";
import { createTraceRun } from "../../../../lib/contract/runs/trace-runs.ts";
import { getTrace, listTraces } from "../../../../lib/contract/traces/traces.ts";
import { clientWith, send } from "../../../support/service/client.ts";
import { project } from "../../../support/service/every-route.ts";

const service = inject("service");
const nobody = clientWith(service, {});

test("every error has a code, whichever component reports it", async () => {
  const replies = [
    await nobody.call(listTraces),
    await project.call(getTrace),
    await project.call(listTraces, { query: { limit: 0 } }),
    await project.call(createTraceRun, { bytes: "{}", headers: { "Content-Type": "text/plain" } }),
    await project.call(createTraceRun, { bytes: `"${"a".repeat(4 * 1024 * 1024)}"` }),
    await send(service, { method: "GET", path: "/nowhere" }),
    await send(service, { method: "PUT", path: "/traces" }),
  ];

  expect(replies.map(({ status, error }) => [status, error?.code])).toEqual([
    [401, "unauthenticated"],
    [404, "not_found"],
    [422, "validation_error"],
    [415, "unsupported_media_type"],
    [413, "too_large"],
    [404, "not_found"],
    [405, "method_not_allowed"],
  ]);
});

test("an error links to its documentation", async () => {
  const { error } = await nobody.call(listTraces);
  const page = await clientWith(service, {}).answer(getDocs);
  const { hash, pathname } = new URL(error?.documentation_url ?? "");

  expect(pathname).toBe("/docs");
  expect(page).toContain(`id="${hash.slice(1)}"`);
});
