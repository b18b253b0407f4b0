import { expect, test } from "vitest";
import { routeTable } from "../../../../infra/local/gateway/route-table.ts";

const paths = ["/", "/runs", "/runs/batch", "/runs/{id}", "/runs/{id}/targets", "/runs/batch/status", "/files/{path+}"];
const match = routeTable(paths.map((path) => [path, path] as const));

test.each([
  ["/", "/", {}],
  ["/runs/batch", "/runs/batch", {}],
  ["/runs/7", "/runs/{id}", { id: "7" }],
  ["/runs/batch/targets", "/runs/{id}/targets", { id: "batch" }],
  ["/runs/a%2Fb%20c", "/runs/{id}", { id: "a/b c" }],
  ["/runs/b%61tch", "/runs/batch", {}],
  ["/files/a/b", "/files/{path+}", { path: "a/b" }],
])("%s matches %s", (path, value, parameters) => {
  expect(match(path)).toEqual({ value, parameters });
});

test.each(["/nowhere", "/runs/", "//runs", "/runs/7/", "/runs/7/other", "/Runs"])("%s matches no route", (path) => {
  expect(match(path)).toBeUndefined();
});

test("a malformed escape is an error", () => {
  expect(() => match("/runs/%zz")).toThrow(URIError);
});

test("sibling parameters with two names are refused, as API Gateway refuses them", () => {
  expect(() =>
    routeTable([
      ["/a/{x}", 1],
      ["/a/{y}/b", 2],
    ] as const),
  ).toThrow("{x} and {y}");
});
