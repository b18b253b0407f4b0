import { randomUUID } from "node:crypto";
import { describe, expect, inject, test } from "vitest";
import {
  createApiKey,
  deleteApiKey,
  getApiKey,
  listApiKeys,
  rotateApiKey,
} from "../../../lib/contract/access/api-keys.ts";
import { createProject, getProject, listProjects, updateProject } from "../../../lib/contract/access/projects.ts";
import { createTrace, listTraces } from "../../../lib/contract/traces/traces.ts";
import { inTurn } from "../../support/in-turn.ts";
import { clientWith } from "../../support/service/client.ts";
import { expectStatus, problems } from "../../support/reply-shape.ts";
import { someTrace } from "../../support/traces/traces.ts";
import { people } from "../../support/users.ts";

const service = inject("service");
const { organization } = people();

const detail = (text: string) => ({ body: { detail: text } });

const withKey = (key: string | null, project: string) =>
  clientWith(service, { "X-API-Key": key ?? "", "X-Project-Name": project });

describe("a project", () => {
  test("is created once by a request that is repeated, and listed newest first", async () => {
    const { owner, id, params } = await organization();
    const options = {
      params,
      body: { name: " checkout ", description: " Till\n" },
      headers: { "Idempotency-Key": randomUUID() },
    };

    const first = await owner.answer(createProject, options);
    const second = await owner.answer(createProject, options);
    const { items, total } = await owner.page(listProjects, { params });

    expect(first).toMatchObject({ org_id: id, name: "checkout", description: "Till" });
    expect(second).toEqual(first);
    expect([total, ...items.map(({ name }) => name)]).toEqual([2, "checkout", "onboarding"]);
    expect(await owner.answer(getProject, { params: { ...params, project_id: first.id } })).toEqual(first);
    expect((await owner.page(listProjects, { params, query: { limit: 1, offset: 1 } })).items).toEqual([items[1]]);
  });

  test("has a unique name, even when many requests create it at once", async () => {
    const { owner, params } = await organization();

    const replies = await Promise.all(
      Array.from({ length: 4 }, () => owner.call(createProject, { params, body: { name: "one" } })),
    );

    expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
    expect(replies.find(({ status }) => status === 409)).toMatchObject(
      detail("A project named 'one' already exists in this organization."),
    );
    expect((await owner.page(listProjects, { params })).total).toBe(2);
  });

  test("keeps its traces when it is renamed, and its old name creates a new project", async () => {
    const { owner, params } = await organization();
    const { raw_key: key } = await owner.answer(createApiKey, { params, body: { name: "k" } });
    const { id } = await owner.answer(createProject, { params, body: { name: "before" } });
    const trace = await withKey(key, "before").answer(createTrace, { body: someTrace() });

    const renamed = await owner.answer(updateProject, {
      params: { ...params, project_id: id },
      body: { name: "after" },
    });

    const traces = await withKey(key, "after").answer(listTraces);
    expect(renamed).toMatchObject({ id, name: "after" });
    expect(traces.items.map(({ trace_id }) => trace_id)).toEqual([trace.trace_id]);
    const successor = await owner.answer(createProject, { params, body: { name: "before" } });
    expect(successor.id).not.toBe(id);
  });

  test("gets a new name that two projects request at once only if it is first", async () => {
    const { owner, params } = await organization();
    const projects = await Promise.all(
      ["a1", "b1"].map((name) => owner.answer(createProject, { params, body: { name } })),
    );

    const replies = await Promise.all(
      projects.map(({ id }) =>
        owner.call(updateProject, { params: { ...params, project_id: id }, body: { name: "same" } }),
      ),
    );
    const { items } = await owner.page(listProjects, { params });

    expect(replies.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    expect(new Set(items.map(({ name }) => name)).size).toBe(3);
    expect(items.map(({ name }) => name)).toContain("same");
  });

  test("that is renamed twice at once has one name in the end, and frees every other", async () => {
    const { owner, params } = await organization();
    const { id } = await owner.answer(createProject, { params, body: { name: "start" } });
    const rename = (name: string) =>
      owner.call(updateProject, { params: { ...params, project_id: id }, body: { name } });

    const replies = await Promise.all([rename("left"), rename("right")]);
    const { name } = await owner.answer(getProject, { params: { ...params, project_id: id } });
    const free = ["start", "left", "right"].filter((each) => each !== name);
    const createReplies = await inTurn(free, (name) => owner.call(createProject, { params, body: { name } }));

    expect(replies.map(({ status }) => status)).toEqual([200, 200]);
    expect(["left", "right"]).toContain(name);
    expect(createReplies.map(({ status }) => status)).toEqual([201, 201]);
  });

  test("with an invalid name or description is refused with all errors at once", async () => {
    const { owner, params } = await organization();

    const reply = await owner.call(createProject, { params, body: { name: "-", description: "a\0b" } });

    expect(problems(reply)).toEqual(["body.name", "body.description"]);
    expect(reply.text).toContain("Project description contains invalid control characters.");
    expect((await owner.page(listProjects, { params })).total).toBe(1);
  });

  test("of another organization is answered like one that does not exist", async () => {
    const [mine, theirs] = await Promise.all([organization(), organization()]);
    const { id } = await theirs.owner.answer(createProject, { params: theirs.params, body: { name: "theirs" } });
    const getById = (project_id: string) => mine.owner.call(getProject, { params: { ...mine.params, project_id } });

    const [foreign, unknown] = [await getById(id), await getById(randomUUID())];

    expect(foreign).toMatchObject({ status: 404, ...detail(`Project ${id} not found.`) });
    expect(unknown.status).toBe(404);
  });
});

describe("an API key", () => {
  test("is shown once, works, and is listed without its secret", async () => {
    const { owner, id, params } = await organization();

    const apiKey = await owner.answer(createApiKey, { params, body: { name: "production" } });
    const keyList = await owner.page(listApiKeys, { params });

    expect(apiKey.raw_key).toMatch(/^sk_as_[0-9a-f]{64}$/);
    expect(apiKey).toMatchObject({ org_id: id, name: "production", is_active: true, expires_at: null });
    expect(apiKey.key_prefix).toBe(apiKey.raw_key?.slice(0, 10));
    expect(keyList).toEqual({
      items: [{ ...apiKey, raw_key: null }],
      total: 1,
      limit: 50,
      offset: 0,
      next_cursor: null,
    });
    expect(await owner.answer(getApiKey, { params: { ...params, key_id: apiKey.id } })).toEqual(keyList.items[0]);
    expectStatus(await withKey(apiKey.raw_key, "onboarding").call(listTraces), 200);
  });

  test("is not created twice by a request that is repeated", async () => {
    const { owner, params } = await organization();
    const options = { params, body: { name: "k" }, headers: { "X-Request-ID": randomUUID() } };

    const [first, second] = [await owner.call(createApiKey, options), await owner.call(createApiKey, options)];

    expect([first.status, second.status]).toEqual([201, 409]);
    expect((await owner.page(listApiKeys, { params })).total).toBe(1);
  });

  test("that expires is rotated, and the old key stays valid besides the new one", async () => {
    const { owner, params } = await organization();
    const old = await owner.answer(createApiKey, { params, body: { name: "k", expiration: "90d" } });

    const rotatedKey = await owner.answer(rotateApiKey, { params: { ...params, key_id: old.id } });
    const works = await Promise.all(
      [old, rotatedKey].map((key) => withKey(key.raw_key, "onboarding").call(listTraces)),
    );

    expect(Date.parse(old.expires_at ?? "") - Date.parse(old.created_at)).toBe(90 * 86_400_000);
    expect(rotatedKey).toMatchObject({ name: "k", is_active: true });
    expect(rotatedKey.id).not.toBe(old.id);
    expect(works.map(({ status }) => status)).toEqual([200, 200]);
    expect((await owner.page(listApiKeys, { params })).items.map(({ id }) => id)).toEqual([rotatedKey.id, old.id]);
  });

  test("that never expires, or was revoked, cannot be rotated", async () => {
    const { owner, params } = await organization();
    const permanentKey = await owner.answer(createApiKey, { params, body: { name: "k" } });
    const revoked = await owner.answer(createApiKey, { params, body: { name: "k", expiration: "90d" } });
    expectStatus(await owner.call(deleteApiKey, { params: { ...params, key_id: revoked.id } }), 204);

    const replies = await inTurn([permanentKey, revoked], ({ id }) =>
      owner.call(rotateApiKey, { params: { ...params, key_id: id } }),
    );

    expect(replies.map(({ status }) => status)).toEqual([422, 422]);
    expect(replies[0]?.text).toContain("Only keys with an expiration can be rotated.");
    expect(replies[1]?.text).toContain("Cannot rotate a revoked API key.");
  });

  test("is inactive once it is revoked, any number of times, and gone when the deletion is permanent", async () => {
    const { owner, params } = await organization();
    const { id, raw_key: key } = await owner.answer(createApiKey, { params, body: { name: "k" } });
    const keyOptions = { params: { ...params, key_id: id } };

    expectStatus(await owner.call(deleteApiKey, keyOptions), 204);
    expectStatus(await owner.call(deleteApiKey, keyOptions), 204);

    expect((await owner.answer(getApiKey, keyOptions)).is_active).toBe(false);
    expect(await withKey(key, "onboarding").call(listTraces)).toMatchObject({
      status: 401,
      ...detail("Invalid or revoked API key."),
    });
    expectStatus(await owner.call(deleteApiKey, { ...keyOptions, query: { permanent: "true" } }), 204);
    expect(await owner.call(getApiKey, keyOptions)).toMatchObject({
      status: 404,
      ...detail(`API key ${id} not found.`),
    });
    expectStatus(await owner.call(deleteApiKey, keyOptions), 404);
    expect((await owner.page(listApiKeys, { params })).total).toBe(0);
  });

  test("gives no access to management routes", async () => {
    const { owner, params } = await organization();
    const { raw_key: key } = await owner.answer(createApiKey, { params, body: { name: "k" } });

    const reply = await withKey(key, "onboarding").call(listApiKeys, { params });

    expect(reply).toMatchObject({
      status: 401,
      ...detail("Bearer token required. Provide Authorization: Bearer <token>."),
    });
  });

  test("of another organization is answered like one that does not exist", async () => {
    const [mine, theirs] = await Promise.all([organization(), organization()]);
    const { id } = await theirs.owner.answer(createApiKey, { params: theirs.params, body: { name: "k" } });
    const keyOptions = { params: { ...mine.params, key_id: id } };

    const replies = [
      await mine.owner.call(getApiKey, keyOptions),
      await mine.owner.call(rotateApiKey, keyOptions),
      await mine.owner.call(deleteApiKey, keyOptions),
    ];

    expect(replies.map(({ status, text }) => `${status} ${text}`)).toEqual(
      replies.map(() => `404 {"detail":"API key ${id} not found."}`),
    );
  });
});
