import { readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { floors, wings } from "./floors.ts";
import { circlesIn, filesIn, importsOf, type Import } from "./imports.ts";

const inLib = filesIn("lib");
const imports = importsOf(inLib);

/** `lib/<floor>/...`; what lies in `lib` itself belongs to every floor. */
const floorOf = (path: string): string | null => {
  const [top, floor = "", ...rest] = path.split("/");
  return top === "lib" && rest.length > 0 ? floor : null;
};

/** `lib/<floor>/<wing>/...`; a file that the table names is a wing by itself, the others of a floor are its ground. */
const wingOf = (path: string): string => {
  const [, floor = "", wing = "", ...rest] = path.split("/");
  return rest.length > 0 || wings[floor]?.includes(wing) === true ? wing : ".";
};

const arrows = (broken: readonly Import[]): readonly string[] => broken.map(({ from, to }) => `${from} -> ${to}`);

describe("in lib", () => {
  test("every folder is a floor of the plan, and every wing has its place", () => {
    const found = new Set(inLib.flatMap((path) => floorOf(path) ?? []));
    expect([...found].toSorted()).toEqual(Object.keys(floors).toSorted());
    for (const [floor, order] of Object.entries(wings)) {
      const own = new Set(inLib.filter((path) => floorOf(path) === floor).map(wingOf));
      expect([floor, ...[...own].toSorted()]).toEqual([floor, ...order.toSorted()]);
    }
  });

  test("a floor imports only what the plan allows it", () => {
    const broken = imports.filter(({ from, to }) => {
      const [own, other] = [floorOf(from), floorOf(to)];
      if (other === null || own === other) return !to.startsWith("lib/") && !to.endsWith(".json");
      return own === null || floors[own]?.includes(other) !== true;
    });
    expect(arrows(broken)).toEqual([]);
  });

  test("the plan has no circle: its floors can be put in an order", () => {
    const edges = Object.entries(floors).flatMap(([from, below]) => below.map((to) => ({ from, to })));
    expect(circlesIn(edges)).toEqual([]);
  });

  test("no function stores traces past the list of prices", () => {
    const direct = [...inLib, ...filesIn("functions")].filter(
      (path) => !path.startsWith("lib/store/") && /\btraceStore\(/u.test(readFileSync(path, "utf8")),
    );
    expect(direct).toEqual(["lib/wiring/priced-traces.ts"]);
  });

  test("no call to AWS can hang: every client has its bounds from one place", () => {
    const code = [...inLib, ...filesIn("functions"), "infra/create-key.ts"];
    const made = code.filter((path) => /\bnew\s+\w*Client\b/u.test(readFileSync(path, "utf8")));
    expect(made).toEqual([]);
  });

  test("a wing imports only wings below it", () => {
    const broken = imports.filter(({ from, to }) => {
      const floor = floorOf(from);
      const order = floor === null || floor !== floorOf(to) ? undefined : wings[floor];
      return order !== undefined && order.indexOf(wingOf(to)) > order.indexOf(wingOf(from));
    });
    expect(arrows(broken)).toEqual([]);
  });
});

describe("in the whole tree", () => {
  const files = filesIn("lib", "functions", "infra", "test");

  test("no files import each other round about, not even for their types", () => {
    expect(circlesIn(importsOf(files))).toEqual([]);
  });

  test("functions import the service, infrastructure imports what it shares, and neither is imported by it", () => {
    const code = importsOf(filesIn("lib", "functions", "infra"));
    const up = code.filter(
      ({ from, to }) =>
        to.startsWith("test/") ||
        (from.startsWith("lib/") && !to.startsWith("lib/") && to !== "package.json") ||
        (from.startsWith("functions/") && to.startsWith("infra/")) ||
        (from.startsWith("infra/") && to.startsWith("functions/")),
    );
    expect(arrows(up)).toEqual([]);
  });

  test("no folder has more than 30 files, and none an index", () => {
    const sizes = Map.groupBy(files, (path) => dirname(path));
    expect([...sizes].filter(([, own]) => own.length > 30).map(([folder, own]) => [folder, own.length])).toEqual([]);
    expect(files.filter((path) => basename(path) === "index.ts")).toEqual([]);
  });
});
