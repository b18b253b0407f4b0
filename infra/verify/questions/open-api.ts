import * as v from "valibot";
import { documentedRoutes } from "../../../lib/contract/openapi/document.ts";
import { getOpenApi } from "../../../lib/contract/openapi/documentation.ts";
import { routes } from "../../../lib/contract/routes.ts";
import { passUnless, type Check } from "../check.ts";

const openApi = v.object({
  info: v.object({ version: v.string() }),
  servers: v.tuple([v.object({ url: v.string() })]),
  paths: v.record(v.string(), v.record(v.string(), v.looseObject({ operationId: v.string() }))),
});

export const openApiDocument: Check = {
  title: "The OpenAPI document contains this base URL and every route of this version",
  run: async ({ baseUrl, anonymous }) => {
    const { info, servers, paths } = v.parse(openApi, await anonymous.client.getOpenApi());
    const server = URL.parse(servers[0].url, baseUrl + getOpenApi.path)?.href.replace(/\/$/u, "");
    const expected = documentedRoutes(routes);
    const missing = expected.filter(({ path, method, id }) => paths[path]?.[method.toLowerCase()]?.operationId !== id);
    return passUnless(
      [
        ...(server === baseUrl ? [] : [`its server is ${server}`]),
        ...missing.map(({ method, path }) => `it lacks ${method} ${path}`),
      ],
      `version ${info.version}, ${expected.length} routes, server ${server}`,
    );
  },
};
