import { safeParse } from "valibot";
import type { WireRequest } from "../support/service/client.ts";
import type { Attempt } from "./attempts.ts";

const mostTries = 120;

const parsed = (bytes: WireRequest["bytes"]): unknown => {
  try {
    return JSON.parse(Buffer.from(bytes ?? "").toString());
  } catch {
    return undefined;
  }
};

/** A JSON value with one key, one item or half of a text less. */
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
    for (const [key] of entries) yield Object.fromEntries(entries.filter(([other]) => other !== key));
    for (const [key, item] of entries) {
      for (const less of lessOf(item)) yield Object.fromEntries(entries.map(([k, v]) => [k, k === key ? less : v]));
    }
  }
};

const smaller = function* (wire: WireRequest): Generator<WireRequest> {
  const { headers = {}, bytes, path } = wire;
  for (const name of Object.keys(headers)) {
    yield { ...wire, headers: Object.fromEntries(Object.entries(headers).filter(([other]) => other !== name)) };
  }
  const [address = "", search] = path.split("?");
  for (const pair of search?.split("&") ?? []) {
    const others = search?.split("&").filter((other) => other !== pair) ?? [];
    yield { ...wire, path: others.length === 0 ? address : `${address}?${others.join("&")}` };
  }
  if (bytes === undefined) return;
  const value = parsed(bytes);
  if (value !== undefined) {
    for (const less of lessOf(value)) yield { ...wire, bytes: JSON.stringify(less) };
    return;
  }
  const all = Buffer.from(bytes);
  for (let size = all.length >> 1; size >= 1; size >>= 1) {
    for (let from = 0; from < all.length; from += size) {
      yield { ...wire, bytes: Buffer.concat([all.subarray(0, from), all.subarray(from + size)]) };
    }
  }
};

/**
 * The smallest request found that fails in the same way.
 *
 * @param fails whether a request does.
 */
export const shrunk = async (
  attempt: Attempt,
  fails: (wire: WireRequest) => Promise<boolean>,
): Promise<WireRequest> => {
  const { mode, route, wire } = attempt;
  // With one thing wrong it is as small as it can be.
  if (mode === "refused") return wire;
  // What had to be accepted still has to be.
  const fits = ({ bytes }: WireRequest): boolean =>
    mode !== "valid" || route.body === undefined || safeParse(route.body, parsed(bytes)).success;
  let least = wire;
  let candidates = smaller(least);
  for (let tries = 0; tries < mostTries; tries += 1) {
    const candidate = candidates.next().value as WireRequest | undefined;
    if (candidate === undefined) break;
    if (!fits(candidate) || !(await fails(candidate))) continue;
    least = candidate;
    candidates = smaller(least);
  }
  return least;
};
