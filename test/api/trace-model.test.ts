import { expect, inject, test } from "vitest";
import { newProject } from "../support/client.ts";
import { freshSeed } from "../support/fresh-seed.ts";
import { caller } from "../model/caller.ts";
import { compareWithModel } from "../model/world.ts";

const service = inject("service");

test("every answer about traces, sessions, users and analytics is the model's", async () => {
  const seed = freshSeed();
  const { "X-API-Key": key, "X-Project-Name": name } = newProject(service).headers;
  const call = caller(service.baseUrl, { "X-API-Key": String(key), "X-Project-Name": String(name) });

  const said = await compareWithModel(call, seed, { operations: 160, traces: 30, questions: 25, patience: 15_000 });

  expect(said, `seed ${seed}`).toEqual([]);
}, 60_000);
