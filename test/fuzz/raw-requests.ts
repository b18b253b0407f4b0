import type { Headers, WireRequest } from "../support/service/client.ts";
import type { Random } from "../support/random.ts";

type Mutation = (wire: WireRequest, random: Random) => WireRequest;

const bytesOf = ({ bytes }: WireRequest): Buffer => Buffer.from(bytes ?? '{"name":"x"}');

const randomBytes = (random: Random, maxLength: number): Buffer =>
  Buffer.from(Array.from({ length: random.below(maxLength) }, () => random.below(256)));

const tokens = [
  "null",
  "1e400",
  "-1e400",
  "NaN",
  String.raw`"\ud800"`,
  '"__proto__"',
  "[",
  "{",
  "]",
  "}",
  ",",
  ":",
  '{"$ne":1}',
  "[[]]",
  "9007199254740993",
  "-0",
  '"\0"',
  '"9999-12-31T23:59:59.999999+00:00"',
  '"0001-01-01"',
  "''",
  "/**/",
  "\ufeff",
  "[".repeat(5_000),
  '{"a":'.repeat(2_000),
  `"${"x".repeat(70_000)}"`,
] as const;

const token = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|[[\]{},:]/gu;

/** Mutations of a request's body. */
const bodies: readonly [Mutation, ...Mutation[]] = [
  (wire, random) => ({ ...wire, bytes: randomBytes(random, 2_000) }),
  (wire, random) => {
    const bytes = bytesOf(wire);
    return { ...wire, bytes: bytes.subarray(0, random.below(bytes.length + 1)) };
  },
  (wire, random) => {
    const bytes = Buffer.from(bytesOf(wire));
    for (let flips = random.between(1, 8); flips > 0; flips -= 1) {
      const at = random.below(bytes.length);
      bytes[at] = random.chance(0.5) ? random.below(256) : (bytes[at] ?? 0) ^ (1 << random.below(8));
    }
    return { ...wire, bytes };
  },
  (wire, random) => {
    const bytes = bytesOf(wire);
    const [from, to, at] = [random.below(bytes.length), random.below(bytes.length), random.below(bytes.length)];
    return { ...wire, bytes: Buffer.concat([bytes.subarray(0, at), bytes.subarray(from, to), bytes.subarray(at)]) };
  },
  (wire, random) => {
    const text = bytesOf(wire).toString();
    const tokenMatches = [...text.matchAll(token)];
    const selectedToken = tokenMatches[random.below(tokenMatches.length)];
    const [from, length] = [selectedToken?.index ?? 0, selectedToken?.[0].length ?? 0];
    return { ...wire, bytes: text.slice(0, from) + random.pick(tokens) + text.slice(from + length) };
  },
];

const names = [
  "X-API-Key",
  "Authorization",
  "X-Project-Name",
  "X-Project-ID",
  "X-Organization-ID",
  "X-Request-ID",
  "Idempotency-Key",
  "Content-Type",
  "Content-Encoding",
  "Accept",
  "Accept-Encoding",
  "Origin",
  "Cookie",
  "Host",
  "Expect",
  "Range",
  "If-None-Match",
  "X-HTTP-Method-Override",
  "X-Forwarded-For",
  "X-Forwarded-Host",
  "X-Amzn-Trace-Id",
  "x-amz-date",
] as const;

const values = [
  "",
  " ",
  "x",
  "*",
  "null",
  "é",
  "\u00ff\u0080",
  "%00%0d%0aX-API-Key:%20x",
  "Bearer a.b.c",
  "Basic eDp5",
  "gzip",
  "br, gzip",
  "application/json; charset=utf-16",
  "application/json",
  "multipart/form-data; boundary=x",
  "100-continue",
  "bytes=0-1",
  "DELETE",
  "00000000-0000-0000-0000-000000000000",
  "a".repeat(300),
  "a,".repeat(2_000),
] as const;

const oddCase = (text: string, random: Random): string =>
  Array.from(text, (letter) => (random.chance(0.5) ? letter.toUpperCase() : letter.toLowerCase())).join("");

const changedHeaders: Mutation = (wire, random) => {
  const name = random.pick(names);
  const value = random.pick(values);
  const otherHeaders = Object.entries(wire.headers ?? {}).filter(
    ([headerName]) => headerName.toLowerCase() !== name.toLowerCase(),
  );
  const before = Object.entries(wire.headers ?? {}).find(
    ([headerName]) => headerName.toLowerCase() === name.toLowerCase(),
  )?.[1];
  const changed: Headers[string] = random.pick([undefined, value, [value, value], [String(before ?? "x"), value]]);
  return { ...wire, headers: { ...Object.fromEntries(otherHeaders), [oddCase(name, random)]: changed } };
};

const queries = [
  "limit=1&limit=2",
  "limit=&offset=",
  "limit[]=1",
  "limit.a=1",
  "limit=%31",
  "limit=%D9%A3",
  "limit=1%00",
  "offset=-0",
  "offset=999999999999999",
  "%6Cimit=0",
  "?&&==",
  "=",
  "&",
  "limit",
  "%zz=1",
  "limit=%",
  "limit=%ff",
  "%ff=%ff",
  "__proto__=1",
  "constructor=1&toString=2",
  "status=a&status=b",
  "status=COMPLETED%20",
  `x=${"a".repeat(6_000)}`,
  Array.from({ length: 400 }, (_, index) => `p${index}=1`).join("&"),
  "#fragment",
  "limit=1;offset=1",
  "limit=1+",
] as const;

const changedQuery: Mutation = (wire, random) => ({
  ...wire,
  path: `${wire.path}${wire.path.includes("?") ? "&" : "?"}${random.pick(queries)}`,
});

const segments = [
  "",
  ".",
  "..",
  "%2e%2e",
  "%2f",
  "%00",
  "%ff",
  "%",
  "%25",
  "x",
  "*",
  "~",
  ";x=1",
  "%0d%0a",
  "scores",
  "traces",
  "00000000-0000-0000-0000-000000000000",
  "__proto__",
  "{trace_id}",
  "%7Brun_id%7D",
  "\u00e9",
  "%F0%9F%98%80",
  "a".repeat(2_000),
] as const;

const changedPath: Mutation = (wire, random) => {
  const [path = "", search] = wire.path.split("?");
  const parts = path.split("/");
  const at = random.between(1, parts.length);
  const pathSegment = random.chance(0.5)
    ? parts.toSpliced(at, random.below(2), random.pick(segments))
    : [...parts, random.pick(segments)];
  const joined = pathSegment.join("/");
  return { ...wire, path: `${joined.startsWith("/") ? "" : "/"}${joined}${search === undefined ? "" : `?${search}`}` };
};

const changedMethod: Mutation = (wire, random) => ({
  ...wire,
  method: random.pick(["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "PROPFIND", "TRACE"]),
});

const changedBody: Mutation = (wire, random) => random.pick(bodies)(wire, random);

/** Corrupts a valid request so that the expected outcome is unknown. */
export const corruptRequest = (wire: WireRequest, random: Random): WireRequest => {
  const hasBody = wire.route?.body !== undefined;
  const mutation = random.pick(
    hasBody
      ? [changedBody, changedBody, changedBody, changedBody, changedHeaders, changedQuery, changedPath, changedMethod]
      : [changedHeaders, changedQuery, changedQuery, changedPath, changedPath, changedMethod, changedBody],
  );
  const once = mutation(wire, random);
  return random.chance(0.2)
    ? random.pick([changedBody, changedHeaders, changedQuery, changedPath])(once, random)
    : once;
};
