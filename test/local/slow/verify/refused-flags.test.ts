import { once } from "node:events";
import { expect, test } from "vitest";
import { startCommand } from "./verification.ts";

test.each([
  ["no flags", [], /^npm run -s verify -- --url/u],
  ["a flag it does not know", ["--nonsense"], /Unknown option '--nonsense'/u],
  ["no address", ["--url", "prod", "--key", "k"], /"prod" is not a URL/u],
  ["an address in the clear", ["--url", "http://example.com", "--key", "k"], /http would send the key unencrypted/u],
  ["a query", ["--url", "https://example.com/?a", "--key", "k"], /The URL must end with the stage/u],
])("the verify command refuses %s", async (_, flags, words) => {
  const { child, output } = startCommand(...flags);
  const [status] = (await once(child, "exit")) as [number];

  expect((await output).join("")).toMatch(words);
  expect(status).toBe(1);
});
