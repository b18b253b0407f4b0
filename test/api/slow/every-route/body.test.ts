import * as v from "valibot";
import { describe, expect, test } from "vitest";
import { createMonitor } from "../../../../lib/contract/monitors/monitors.ts";
import { readingOf, type Route } from "../../../../lib/contract/route.ts";
import { isPart, partOf, partsOf, type Part } from "../../../../lib/contract/schema/schema-part.ts";
import { createTraceRun } from "../../../../lib/contract/runs/trace-runs.ts";
import { createTrace } from "../../../../lib/contract/traces/traces.ts";
import { inTurn } from "../../../support/in-turn.ts";
import { type Headers } from "../../../support/service/client.ts";
import { callerOf, json, routesByName, jsonRoutes } from "../../../support/service/every-route.ts";
import { problems, type Reply } from "../../../support/reply-shape.ts";
import { sample } from "../../../support/sample.ts";

const listOfWrongs = v.object({ detail: v.array(v.unknown()) });

const withBody = routesByName(jsonRoutes.filter(({ body }) => body !== undefined));

/** Returns the object schema of a route's body, of a closed one too; undefined for another type. */
const objectOf = ({ body }: Route): Part | undefined => {
  const [first] = body === undefined ? [] : partsOf(partOf(body));
  const object = first?.type === "intersect" ? first.options?.find(isPart) : first;
  return object?.type === "object" ? object : undefined;
};

/** Sends the body of a route as given bytes, with a credential that the route accepts. */
const sendBytes = (route: Route, bytes: string, headers: Headers = json): Promise<Reply> =>
  callerOf(route).call(route, { bytes, headers });

describe.each(sample("bodies", withBody))("the body of %s", (_name, route) => {
  test("that is not JSON is refused with the offset", async () => {
    // Other products' SDKs send numbers that are not finite: they become texts.
    const notFinite =
      readingOf(route) === "foreign"
        ? []
        : ([
            ['{"a":NaN}', 5],
            ['{"a":Infinity}', 5],
            ['{"a":-Infinity}', 6],
          ] as const);
    const broken: readonly (readonly [string, number])[] = [
      ["{", 1],
      ['{"a":1,}', 7],
      ["{'a':1}", 1],
      ['{"a":1} {}', 8],
      ['{"a":1}// x', 7],
      ...notFinite,
      ['{"a":01}', 6],
      ['{"a":"\n"}', 6],
      ['{"a":"\\x"}', 7],
    ];
    const replies = await inTurn(broken, ([text]) => sendBytes(route, text));

    expect(replies.map(({ status, body }) => ({ status, body }))).toEqual(
      broken.map(([, offset]) => ({
        status: 422,
        body: {
          detail: [expect.objectContaining({ loc: ["body", offset], type: "json_invalid" })],
          errors: [{ field: String(offset), message: expect.any(String) as string }],
        },
      })),
    );
  });

  test("is required", async () => {
    const replies = await inTurn([{}, { bytes: "" }, { bytes: " \n" }], (body) =>
      callerOf(route).call(route, { ...body, headers: json }),
    );

    expect(replies.map((reply) => [reply.status, problems(reply)])).toEqual(replies.map(() => [422, ["body"]]));
  });

  test("of another type than an object is refused", async () => {
    const shapes = ["null", "true", "3", '"x"', '"{}"', ...(objectOf(route) === undefined ? [] : ["[]", "[{}]"])];
    const replies = await inTurn(shapes, (text) => sendBytes(route, text));

    expect(replies.map((reply) => [reply.status, problems(reply)])).toEqual(replies.map(() => [422, ["body"]]));
  });

  test("with more values than can be read in time is refused before it is parsed", async () => {
    // Numbers of other products' SDKs are not kept digit for digit.
    const numbers = readingOf(route) === "foreign" ? 500_000 : 250_000;
    const texts = [`${"7,".repeat(500_000)}7`, `${"1.0,".repeat(numbers)}7`, `${"{},".repeat(250_000)}7`].map(
      (list) => `{"a":[${list}]}`,
    );
    const replies = await inTurn(texts, (text) => sendBytes(route, text));

    const detail: unknown = expect.stringContaining("more than 500000 values");
    expect(replies.map(({ status, body }) => ({ status, body }))).toEqual(
      texts.map(() => ({ status: 413, body: expect.objectContaining({ detail }) as unknown })),
    );
  });

  test("of another content type is refused", async () => {
    const types = [
      undefined,
      "text/plain",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/jsonX",
      "application/json; charset=utf-16",
      "application/json, text/html",
    ];
    const replies = await inTurn(types, (type) => sendBytes(route, "{}", { "Content-Type": type }));

    expect(replies.map(({ status }) => status)).toEqual(types.map(() => 415));
  });

  test("may have any JSON content type in UTF-8", async () => {
    const types = [
      "application/json; charset=utf-8",
      "APPLICATION/JSON",
      "application/vnd.x+json",
      'application/json;charset="UTF-8"',
    ];
    const replies = await inTurn(types, (type) => sendBytes(route, "7", { "Content-Type": type }));

    expect(replies.map((reply) => [reply.status, problems(reply)])).toEqual(types.map(() => [422, ["body"]]));
  });
});

// Fewer than the bodies above: each of these takes seconds of computing.
test.each(sample("bodies with errors", withBody, 64))(
  "the body of %s with hundreds of thousands of errors is refused with a hundred of them",
  async (_name, route) => {
    const entries = objectOf(route)?.entries ?? {};
    const names = [...Object.keys(entries), ...Array.from({ length: 500 }, (_, index) => `unknown ${index}`)];
    const objects = "{},".repeat(Math.floor(240_000 / names.length));
    const members = names.map((name) => `${JSON.stringify(name)}:[${objects}7]`);
    const keys = Array.from({ length: 9_000 }, (_, index) => `"${index}${"k".repeat(300)}":1`);
    const nested = Object.keys(entries).map((name) => `${JSON.stringify(name)}:{${keys.join()}}`);
    const bodies = [`{${members.join()}}`, `{${nested.slice(0, 1).join()}}`, `[${"{},".repeat(400)}7]`];

    const replies = await inTurn(bodies, (text) => sendBytes(route, text));

    const refusals = replies.filter(({ status }) => status === 422);
    expect(replies.every(({ status, text }) => status < 500 && text.length < 150_000)).toBe(true);
    expect(refusals.every(({ body }) => v.parse(listOfWrongs, body).detail.length <= 100)).toBe(true);
  },
);

// All routes have the same limit, enforced by the wrapper and the gateway. Three are tested, as megabytes to each route would take a minute.
describe.each(routesByName([createTrace, createTraceRun, createMonitor]))("the body of %s", (_name, route) => {
  test("may be 4 MiB long and no longer", async () => {
    const limit = 4 * 1024 * 1024;
    const within = await sendBytes(route, `"${"a".repeat(limit - 2)}"`);
    const above = await sendBytes(route, `"${"a".repeat(limit - 1)}"`);
    const wide = await sendBytes(route, `"${"é".repeat(limit / 2)}"`);
    // Escaped as text in an event, the body would be larger than Lambda accepts.
    const escaped = await sendBytes(route, `"${String.raw`\"`.repeat(limit / 2 - 1)}"`);
    const huge = await sendBytes(route, `"${"a".repeat(5_000_000)}"`);

    expect([within, above, wide, escaped, huge].map(({ status }) => status)).toEqual([422, 413, 413, 422, 413]);
  });
});
