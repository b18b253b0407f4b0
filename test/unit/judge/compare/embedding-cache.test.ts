import { describe, expect, test } from "vitest";
import { embeddingCache } from "../../../../lib/judge/compare/embedding-cache.ts";

describe("the embedding cache", () => {
  test("finds vectors by model and text", () => {
    const cache = embeddingCache();
    cache.put("a/one", "text", [0.5, 0.25]);

    expect(Array.from(cache.get("a/one", "text") ?? [])).toEqual([0.5, 0.25]);
    expect(cache.get("a/two", "text")).toBeUndefined();
    expect(cache.get("a/one", "other")).toBeUndefined();
  });

  test("is bounded: the least recently used vector is removed first", () => {
    const cache = embeddingCache(6);
    for (const text of ["a", "b", "c"]) cache.put("m", text, [1, 2]);
    cache.get("m", "a");
    cache.put("m", "d", [1, 2]);

    expect(["a", "b", "c", "d"].map((text) => cache.get("m", text) !== undefined)).toEqual([true, false, true, true]);
  });

  test("counts a text that is stored again once", () => {
    const cache = embeddingCache(4);
    for (let time = 0; time < 5; time += 1) cache.put("m", "a", [1, 2]);
    cache.put("m", "b", [1, 2]);

    expect(cache.get("m", "a")).toBeDefined();
    expect(cache.get("m", "b")).toBeDefined();
  });

  test("drops a vector that is larger than the whole cache", () => {
    const cache = embeddingCache(1);
    cache.put("m", "a", [1, 2]);

    expect(cache.get("m", "a")).toBeUndefined();
  });
});
