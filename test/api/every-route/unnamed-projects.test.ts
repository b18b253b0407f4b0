import { randomUUID } from "node:crypto";
import { expect, inject, test } from "vitest";
import { createApiKey } from "../../../lib/contract/access/api-keys.ts";
import { listProjects } from "../../../lib/contract/access/projects.ts";
import { exportUser } from "../../../lib/contract/access/trace-users.ts";
import type { Route } from "../../../lib/contract/route.ts";
import { routes } from "../../../lib/contract/routes.ts";
import { inTurn } from "../../support/in-turn.ts";
import { clientWith } from "../../support/service/client.ts";
import { minimalRequest } from "../../support/service/every-route.ts";
import { people } from "../../support/users.ts";

const service = inject("service");
const { organization } = people();

const deleting = routes.filter(({ access, method }) => access === "project" && method === "DELETE");

/** Values of all path parameters of a route: no object has them. */
const unusedIds = ({ path }: Route) =>
  Object.fromEntries(Array.from(path.matchAll(/\{(\w+)\}/gu), ([, name = ""]) => [name, randomUUID()]));

test("no deletion and no export of a user makes a project of a misspelt name", async () => {
  const { owner, params } = await organization("Careful");
  const { raw_key } = await owner.answer(createApiKey, { params, body: { name: "k" } });
  const client = clientWith(service, { "X-API-Key": raw_key ?? "", "X-Project-Name": "shpo" });
  const before = await owner.page(listProjects, { params });

  const replies = await inTurn([...deleting, exportUser], async (route) => {
    const query = new URLSearchParams({ user_id: "u" });
    const isOfUser = route.path.startsWith("/traces/users/-");
    return isOfUser ? client.call(route, { query: String(query) }) : minimalRequest(client, route, unusedIds(route));
  });

  expect(deleting.length).toBeGreaterThan(10);
  expect(replies.map(({ status, text }) => [status, text])).toEqual(
    replies.map(() => [404, expect.stringContaining("Project not found") as string]),
  );
  expect(replies.flatMap(({ headers }) => headers["x-project-created"] ?? [])).toEqual([]);
  expect(await owner.page(listProjects, { params })).toEqual(before);
});
