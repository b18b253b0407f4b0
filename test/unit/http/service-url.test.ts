import type { APIGatewayProxyEvent } from "aws-lambda";
import { expect, test } from "vitest";
import { createTraceRun } from "../../../lib/contract/runs/trace-runs.ts";
import { getDocs, getDocsTopic } from "../../../lib/contract/openapi/documentation.ts";
import { exchangeMcpMessages } from "../../../lib/contract/mcp.ts";
import { gatewayPath, type Route } from "../../../lib/contract/route.ts";
import { getConsole, getConsoleAsset } from "../../../lib/contract/service.ts";
import { gatewayUrlOf, serviceUrlOf } from "../../../lib/http/event.ts";

const eventOf = (path: string, headers: Readonly<Record<string, string>>, route: Route = getDocs) =>
  ({
    resource: gatewayPath(route),
    multiValueHeaders: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]])),
    requestContext: { domainName: "api.example.com", path },
  }) as unknown as APIGatewayProxyEvent;

const deployed = { Host: "api.example.com", "X-Forwarded-Proto": "https" };

test.each([
  ["/dev/docs", deployed, "https://api.example.com/dev"],
  ["/docs", deployed, "https://api.example.com"],
  ["/base/path/docs", deployed, "https://api.example.com/base/path"],
  ["/dev/d%6Fcs", deployed, "https://api.example.com/dev"],
  ["/docs", { Host: "localhost:4000", "X-Forwarded-Proto": "http" }, "http://localhost:4000"],
  ["/docs", { host: "[::1]:4000", "x-forwarded-proto": "http" }, "http://[::1]:4000"],
  ["/docs", { Host: "api.example.com" }, "https://api.example.com"],
  ["/docs", { Host: "api.example.com", "X-Forwarded-Proto": "javascript" }, "https://api.example.com"],
])("a page at %s that was requested with %o belongs to the service at %s", (path, headers, expected) => {
  expect(serviceUrlOf(eventOf(path, headers))).toBe(expected);
});

test("all segments of the route's own path are removed", () => {
  const requests = [
    ["/dev/evaluations/trace-runs", createTraceRun],
    ["/dev/docs/traces", getDocsTopic],
    ["/dev/console", getConsole],
    ["/dev/console/assets/app.js", getConsoleAsset],
  ] as const;

  for (const [path, route] of requests)
    expect(serviceUrlOf(eventOf(path, deployed, route))).toBe("https://api.example.com/dev");
});

test.each(["", "a b", "a'$(reboot)", "a/b", "user@a", "a:b", "a:123456", "a\nb", "<b>"])(
  "the host %j is not trusted",
  (Host) => {
    expect(serviceUrlOf(eventOf("/dev/docs", { ...deployed, Host }))).toBe("https://api.example.com/dev");
  },
);

test("the gateway's own address, to which credentials are sent, has no part of the headers", () => {
  const headers = { Host: "evil.example", "X-Forwarded-Proto": "http", "X-Forwarded-Host": "evil.example" };

  expect(gatewayUrlOf(eventOf("/dev/mcp", headers, exchangeMcpMessages))).toBe("https://api.example.com/dev");
  expect(gatewayUrlOf(eventOf("/mcp", headers, exchangeMcpMessages))).toBe("https://api.example.com");
});
