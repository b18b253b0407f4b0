import { describe, expect, inject, test } from "vitest";
import { allowedMethods, type Route } from "../../../../lib/contract/route.ts";
import { routes } from "../../../../lib/contract/routes.ts";
import { unservedPaths } from "../../../../infra/api/unserved-paths.ts";
import { pathOf, send } from "../../../support/service/client.ts";
import { json, routesByName, project } from "../../../support/service/every-route.ts";
import { sample } from "../../../support/sample.ts";

const service = inject("service");

/** The detail of a missing address: a sentence for paths that wrongly configured clients ask for, whose rest may be empty. */
const detailOf = (address: string): string =>
  unservedPaths.find(({ path }) =>
    new RegExp(`^${path.replace("{rest+}", ".*").replace("{dataset_name}", "[^/]+")}$`, "u").test(address),
  )?.detail ?? "Not Found";

/** True if an address happens to match the path of a route with parameters. */
const matches = ({ path }: Route, address: string): boolean =>
  new RegExp(`^${path.replaceAll(/\{\w+\}/g, "[^/]+")}$`).test(address);

describe.each(sample("addresses", routesByName(routes)))("the address of %s", (_name, route) => {
  const allowed = allowedMethods(routes.filter(({ path }) => path === route.path));
  const headers = { ...project.headers, ...json };

  test("has no variants, with a slash or anything else at its end", async () => {
    const path = pathOf(route);
    const wrong = [
      `${path}/`,
      `${path}/nothing/here/at/all`,
      `/${path}`,
      `/v1${path}`,
      path.toUpperCase(),
      `${path};x=1`,
    ];
    const missing = wrong.filter((each) => !routes.some((otherRoute) => matches(otherRoute, each)));
    const replies = await Promise.all(
      missing.map((each) => send(service, { method: route.method, path: each, headers })),
    );

    expect(replies.map(({ status, text }) => `${status} ${text}`)).toEqual(
      missing.map((each) => `404 ${JSON.stringify({ detail: detailOf(each) })}`),
    );
  });

  test("takes no other method, whatever the headers", async () => {
    const otherMethods = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"].filter(
      (method) => !allowed.includes(method),
    );
    const replies = await Promise.all(
      otherMethods.map((method) =>
        send(service, { method, path: pathOf(route), headers: { ...headers, "X-HTTP-Method-Override": route.method } }),
      ),
    );

    expect(replies.map(({ status, headers }) => [status, headers["allow"]])).toEqual(
      otherMethods.map(() => [405, [...allowed, "OPTIONS"].join(", ")]),
    );
  });
});
