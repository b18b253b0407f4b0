import { expect, test } from "vitest";
import { mapTemplate } from "../../../../infra/local/gateway/mapping-template.ts";

const context = { requestId: "r-1", path: "/dev/", identity: { sourceIp: "127.0.0.1" } };

test.each([
  ["what is said", '{"a":"$context.requestId"}', '{"a":"r-1"}', {}],
  [
    "a header",
    "#set($context.responseOverride.header.X-Id = $context.identity.sourceIp)\nx",
    "x",
    { "x-id": "127.0.0.1" },
  ],
  ["a text", '#set($context.responseOverride.header.A = "b (c) $context.requestId")', "", { a: "b (c) r-1" }],
  [
    "a variable with all of something replaced",
    '#set($v = "$context.path/docs/$context.path")\n#set($context.responseOverride.header.A = $v.replace("//", "/"))\n',
    "",
    { a: "/dev/docs/dev/" },
  ],
])("a mapping template outputs %s", (_what, template, body, headers) => {
  expect(mapTemplate(template, context)).toEqual({ body, headers });
});

const echoed = [
  '#set($o = $input.params().header.get("Origin"))',
  '#if(!$o || $o == "")#set($o = "none")#end',
  '#if($o.matches("https://(a|b)[.]example(:[0-9]+)?"))#set($context.responseOverride.header.A = $o)#end',
  "$context.requestId",
].join("\n");

test.each([
  [{ origin: "https://b.example:8443" }, { a: "https://b.example:8443" }],
  [{ origin: "https://bXexample" }, {}],
  [{ origin: "https://a.example.evil.example" }, {}],
  [{}, {}],
])("a branch is run if its condition is true, and only then: %j", (requestHeaders, headers) => {
  expect(mapTemplate(echoed, context, requestHeaders)).toEqual({ body: "r-1", headers });
});

test.each([
  "#if($a)x#end",
  '#set($a = $b.replace("x", "y"))',
  "#set($a = $input.path('$.b'))",
  '#set($a = "b")#set($c = $a.trim())',
])("%s is unsupported and refused as such", (template) => {
  expect(() => mapTemplate(template, context)).toThrow("The local gateway does not support $");
});
