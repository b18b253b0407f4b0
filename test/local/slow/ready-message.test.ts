import { expect, test } from "vitest";
import { curl } from "../../../infra/local/curl.ts";
import { readyMessage } from "../../../infra/local/ready-message.ts";

const ready = {
  baseUrl: "http://127.0.0.1:4321",
  credentials: { organizationId: "org-1", projectId: "project-1", projectName: "default", apiKey: "sk_1", userId: "u" },
  bearerToken: "token.of.developer",
  consoleAddress: "http://127.0.0.1:4321/console#once=abc",
  directory: "/data",
  judgeModel: "offline/rules",
  now: new Date("2026-11-21T09:00:00Z"),
};
const message = readyMessage(ready);

const lines = message.split("\n").map((line) => line.trim());

test("the message contains every credential, the documentation, the data directory and the judge", () => {
  expect(lines).toEqual(
    expect.arrayContaining([
      "Assay is ready at http://127.0.0.1:4321   (data and logs in /data, judge offline/rules)",
      "Console        http://127.0.0.1:4321/console#once=abc   (signs in once; the next address is shown here)",
      "Documentation  http://127.0.0.1:4321/docs",
      "API key        sk_1",
      "Project        default (project-1)",
      "Organization   org-1",
      "Bearer token   token.of.developer",
    ]),
  );
});

test("a warning is shown when no sign-in is required, and only then", () => {
  const warning = readyMessage({ ...ready, noSignIn: true });
  expect(warning).toContain("NO SIGN-IN: every program and every user of this machine may call without a credential");
  expect(message).not.toContain("SIGN-IN");
});

test("the variables of OpenTelemetry are those of this service, quoted for a shell", () => {
  expect(lines.filter((line) => line.startsWith("export "))).toEqual([
    "export OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4321 OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf",
    "export OTEL_EXPORTER_OTLP_HEADERS=X-API-Key=sk_1,X-Project-Name=default",
  ]);
});

test("the message fits a screen, and names the next steps", () => {
  expect(lines.length).toBeLessThanOrEqual(40);
  expect(message).toContain("npm run demo ");
  expect(message).toContain("npm run -s token -- --email mia@example.com ");
});

test("a printed call is a POST with its body when it has one, and quotes shell characters", () => {
  const caller = { baseUrl: "http://127.0.0.1:1", apiKey: "k", projectName: "it's" };

  const getCall = curl(caller, "/traces?tags=a&tags=b");
  const postCall = curl(caller, "/traces", { name: "it's" });

  expect(getCall).toBe(`curl -s 'http://127.0.0.1:1/traces?tags=a&tags=b' \\
    -H 'X-API-Key: k' -H 'X-Project-Name: it'\\''s'`);
  expect(postCall).toBe(`curl -s 'http://127.0.0.1:1/traces' \\
    -H 'X-API-Key: k' -H 'X-Project-Name: it'\\''s' \\
    -H 'Content-Type: application/json' \\
    -d '{"name":"it'\\''s"}'`);
});
