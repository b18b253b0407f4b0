import { expect, test } from "vitest";
import { apiDefinition } from "../../../infra/api/api-definition.ts";
import { gatewayPath, route, type Route } from "../../../lib/contract/route.ts";
import { routes } from "../../../lib/contract/routes.ts";
import { getHealth } from "../../../lib/contract/service.ts";

/** Routes that need no credential; adding one here is a deliberate decision. */
const open = new Set([
  "getHealth",
  "getHealthLangfuse",
  "getOpenApi",
  "getDocs",
  "getDocsTopic",
  "getLlmsText",
  "getConsole",
  "getConsoleAsset",
  "getCliLogin",
  "exchangeCliCode",
  "getLangsmithInfo",
]);

const { access: _, ...withoutAccess } = getHealth;

test("a route without access does not compile", () => {
  // @ts-expect-error -- `access` is missing.
  const checkedRoute = route(withoutAccess);
  // @ts-expect-error -- no such kind of access.
  const unknownAccess = route({ ...withoutAccess, access: "everybody" });

  expect([checkedRoute, unknownAccess]).toHaveLength(2);
});

test.each(routes)("$method $path states its access", ({ access, id }) => {
  expect(access === "public").toBe(open.has(id));
});

const invocation = { functionId: "Function", roleArn: "role" };

/** The operation of a route in the API definition for the gateway. */
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
    expect(operationOf(route).security).toEqual([expect.objectContaining({ auth: [] })]);
  },
);

test.each(routes.filter(({ access }) => access === "public"))(
  "the gateway admits $method $path without a credential",
  (route) => {
    expect(operationOf(route).security).toEqual([]);
  },
);
