import { expect, inject, test } from "vitest";
import { createTrace, getTrace } from "../../../lib/contract/traces/traces.ts";
import { generateTrace } from "../../bench/generate-trace.ts";
import { newProject, requestTimeout } from "../../support/service/client.ts";
import { freshSeed } from "../../support/vitest/fresh-seed.ts";
import { seeded } from "../../support/random.ts";
import { caller } from "../../model/caller.ts";
import { compareWithModel } from "../../model/world.ts";

const service = inject("service");

test("every reply about traces, sessions, users and analytics equals that of the reference model", async () => {
  const seed = freshSeed();
  const { "X-API-Key": key, "X-Project-Name": name } = newProject(service).headers;
  const call = caller(service.baseUrl, { "X-API-Key": String(key), "X-Project-Name": String(name) });

  const differences = await compareWithModel(call, seed, {
    operations: 100,
    traces: 20,
    questions: 10,
    maxMilliseconds: requestTimeout,
  });

  expect(differences, `seed ${seed}`).toEqual([]);
});

test("texts of agents are returned byte for byte", async () => {
  const [project, random] = [newProject(service), seeded(20_261_121)];
  const bodies = Array.from({ length: 5 }, (_, index) =>
    generateTrace(random.next, `whole ${index}`, Date.UTC(2026, 9, 1, index)),
  );

  for (const body of bodies) await project.answer(createTrace, { body });

  for (const trace of bodies) {
    const storedTrace = await project.answer(getTrace, { params: { trace_id: trace.trace_id } });
    const storedTexts = [storedTrace, ...storedTrace.spans].map(({ input, output, metadata }) =>
      JSON.stringify([input, output, metadata]),
    );
    const sentTexts = [trace, ...(trace.spans ?? [])].map(({ input = null, output = null, metadata = {} }) =>
      JSON.stringify([input, output, metadata]),
    );
    expect(storedTexts).toEqual(sentTexts);
  }
});
