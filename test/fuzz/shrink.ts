import { safeParse } from "valibot";
import type { WireRequest } from "../support/service/client.ts";
import { parsed, type Attempt } from "./attempts.ts";

const mostTries = 120;

/** Yields variants of a JSON value without one key, one item or half of a text. */
const lessOf = function* (value: unknown): Generator {
  if (typeof value === "string" && value.length > 1) {
    yield value.slice(0, value.length >> 1);
    yield value.slice(value.length >> 1);
  } else if (Array.isArray(value)) {
    if (value.length > 3) yield value.slice(0, value.length >> 1);
    for (const index of value.keys()) yield value.toSpliced(index, 1);
    for (const [index, item] of value.entries()) {
      for (const less of lessOf(item)) yield value.with(index, less);
    }
  } else if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value);
    for (const [key] of entries) yield Object.fromEntries(entries.filter(([otherKey]) => otherKey !== key));
    for (const [key, item] of entries) {
      for (const less of lessOf(item)) yield Object.fromEntries(entries.map(([k, v]) => [k, k === key ? less : v]));
    }
  }
};

const smaller = function* (wire: WireRequest): Generator<WireRequest> {
  const { headers = {}, bytes, path } = wire;
  for (const name of Object.keys(headers)) {
    yield { ...wire, headers: Object.fromEntries(Object.entries(headers).filter(([otherName]) => otherName !== name)) };
  }
  const [address = "", search] = path.split("?");
  for (const pair of search?.split("&") ?? []) {
    const otherPairs = search?.split("&").filter((otherPair) => otherPair !== pair) ?? [];
    yield { ...wire, path: otherPairs.length === 0 ? address : `${address}?${otherPairs.join("&")}` };
  }
  if (bytes === undefined) return;
  const value = parsed(bytes);
  if (value !== undefined) {
    for (const less of lessOf(value)) yield { ...wire, bytes: JSON.stringify(less) };
    return;
  }
  const allBytes = Buffer.from(bytes);
  for (let size = allBytes.length >> 1; size >= 1; size >>= 1) {
    for (let from = 0; from < allBytes.length; from += size) {
      yield { ...wire, bytes: Buffer.concat([allBytes.subarray(0, from), allBytes.subarray(from + size)]) };
    }
  }
};

/**
 * Finds the smallest request that fails in the same way.
 * @param fails true if a request still fails.
 */
export const shrink = async (
  attempt: Attempt,
  fails: (wire: WireRequest) => Promise<boolean>,
): Promise<WireRequest> => {
  const { mode, route, wire } = attempt;
  // A request with one error is already minimal.
  if (mode === "refused") return wire;
  // A valid request must stay valid.
  const fits = ({ bytes }: WireRequest): boolean =>
    mode !== "valid" || route.body === undefined || safeParse(route.body, parsed(bytes)).success;
  let smallest = wire;
  let candidates = smaller(smallest);
  for (let tries = 0; tries < mostTries; tries += 1) {
    const candidate = candidates.next().value as WireRequest | undefined;
    if (candidate === undefined) break;
    if (!fits(candidate) || !(await fails(candidate))) continue;
    smallest = candidate;
    candidates = smaller(smallest);
  }
  return smallest;
};
