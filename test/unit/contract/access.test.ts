import { expect, test } from "vitest";
import { apiDefinition } from "../../../infra/api/api-definition.ts";
import { gatewayPath, route, type Route } from "../../../lib/contract/route.ts";
import { routes } from "../../../lib/contract/routes.ts";
import { getHealth } from "../../../lib/contract/service.ts";

/** What anyone may read; a route is added here on purpose or not at all. */
const open = new Set([
  "getHealth",
  "getHealthLangfuse",
  "getOpenApi",
  "getDocs",
  "getConsole",
  "getCliLogin",
  "exchangeCliCode",
]);

const { access: _, ...withoutAccess } = getHealth;

test("a route that does not say who may call it does not compile", () => {
  // @ts-expect-error -- `access` is missing.
  const made = route(withoutAccess);
  // @ts-expect-error -- nobody is meant by it.
  const other = route({ ...withoutAccess, access: "everybody" });

  expect([made, other]).toHaveLength(2);
});

test.each(routes)("$method $path says who may call it", ({ access, id }) => {
  expect(access === "public").toBe(open.has(id));
});

const invocation = { functionArn: "function", roleArn: "role" };

/** The operation of a route as the gateway is told. */
const operationOf = (route: Route): { readonly security: unknown } => {
  const [path, method] = [gatewayPath(route), route.method];
  const { paths } = apiDefinition({
    requestsPerSecond: 1_000,
    title: "api",
    version: "0",
    routes,
    invocation: () => invocation,
    authorizer: invocation,
  });
  const item = paths[path] as Readonly<Record<string, { readonly security: unknown } | undefined>> | undefined;
  const operation = item?.[method.toLowerCase()];
  if (operation === undefined) throw new Error(`The gateway does not know ${method} ${path}.`);
  return operation;
};

test.each(routes.filter(({ access }) => access !== "public"))(
  "the gateway asks the authorizer before $method $path",
  (route) => {
    expect(operationOf(route).security).toEqual([expect.objectContaining({ authorizer: [] })]);
  },
);

test.each(routes.filter(({ access }) => access === "public"))("the gateway lets anyone call $method $path", (route) => {
  expect(operationOf(route).security).toEqual([]);
});
