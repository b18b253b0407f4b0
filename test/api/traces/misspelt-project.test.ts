import { expect, inject, test } from "vitest";
import { createApiKey } from "../../../lib/contract/access/api-keys.ts";
import { listProjects } from "../../../lib/contract/access/projects.ts";
import { eraseUser, exportUser } from "../../../lib/contract/access/trace-users.ts";
import { inTurn } from "../../support/in-turn.ts";
import { clientWith } from "../../support/service/client.ts";
import { people } from "../../support/users.ts";

const service = inject("service");
const { organization } = people();

test("neither the erasure nor the export of a user makes a project of a misspelt name", async () => {
  const { owner, params } = await organization("Careful");
  const { raw_key } = await owner.answer(createApiKey, { params, body: { name: "k" } });
  const client = clientWith(service, { "X-API-Key": raw_key ?? "", "X-Project-Name": "shpo" });
  const before = await owner.page(listProjects, { params });

  const replies = await inTurn([eraseUser, exportUser], (route) =>
    client.call(route, { query: String(new URLSearchParams({ user_id: "u" })) }),
  );

  expect(replies.map(({ status, text }) => [status, text])).toEqual(
    replies.map(() => [404, expect.stringContaining("Project not found") as string]),
  );
  expect(replies.flatMap(({ headers }) => headers["x-project-created"] ?? [])).toEqual([]);
  expect(await owner.page(listProjects, { params })).toEqual(before);
});
