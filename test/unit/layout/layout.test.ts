import { readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { floors, wings } from "./floors.ts";
import { circlesIn, filesIn, importsOf, type Import } from "./imports.ts";

const inLib = filesIn("lib");
const imports = importsOf(inLib);

/** Floor of a path `lib/<floor>/...`; null for files directly in `lib`, which belong to every floor. */
const floorOf = (path: string): string | null => {
  const [top, floor = "", ...segments] = path.split("/");
  return top === "lib" && segments.length > 0 ? floor : null;
};

/** Wing of a path `lib/<floor>/<wing>/...`; a file that the table lists is a wing, the other files of a floor are wing `.`. */
const wingOf = (path: string): string => {
  const [, floor = "", wing = "", ...segments] = path.split("/");
  return segments.length > 0 || wings[floor]?.includes(wing) === true ? wing : ".";
};

const arrows = (broken: readonly Import[]): readonly string[] => broken.map(({ from, to }) => `${from} -> ${to}`);

describe("in lib", () => {
  test("every folder is a floor of the plan, and every wing is listed", () => {
    const folders = new Set(inLib.flatMap((path) => floorOf(path) ?? []));
    expect([...folders].toSorted()).toEqual(Object.keys(floors).toSorted());
    for (const [floor, order] of Object.entries(wings)) {
      const wingsOfFloor = new Set(inLib.filter((path) => floorOf(path) === floor).map(wingOf));
      expect([floor, ...[...wingsOfFloor].toSorted()]).toEqual([floor, ...order.toSorted()]);
    }
  });

  test("a floor imports only the floors that the plan allows", () => {
    const broken = imports.filter(({ from, to }) => {
      const [floor, importedFloor] = [floorOf(from), floorOf(to)];
      if (importedFloor === null || floor === importedFloor) return !to.startsWith("lib/") && !to.endsWith(".json");
      return floor === null || floors[floor]?.includes(importedFloor) !== true;
    });
    expect(arrows(broken)).toEqual([]);
  });

  test("the plan has no cycle: its floors can be ordered", () => {
    const edges = Object.entries(floors).flatMap(([from, below]) => below.map((to) => ({ from, to })));
    expect(circlesIn(edges)).toEqual([]);
  });

  test("no function stores traces without the list of prices", () => {
    const direct = [...inLib, ...filesIn("functions")].filter(
      (path) => !path.startsWith("lib/store/") && /\btraceStore\(/u.test(readFileSync(path, "utf8")),
    );
    expect(direct).toEqual(["lib/wiring/priced-traces.ts"]);
  });

  test("no call to AWS can hang: every client gets its time limits from one place", () => {
    const code = [...inLib, ...filesIn("functions"), "infra/create-key.ts"];
    const clientFiles = code.filter((path) => /\bnew\s+\w*Client\b/u.test(readFileSync(path, "utf8")));
    expect(clientFiles).toEqual([]);
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

  test("no files import each other in a cycle, not even for types", () => {
    expect(circlesIn(importsOf(files))).toEqual([]);
  });

  test("functions import the service, infrastructure imports shared code, and the service imports neither", () => {
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

  test("no folder has more than 30 files, and none has an index file", () => {
    const sizes = Map.groupBy(files, (path) => dirname(path));
    expect(
      [...sizes].filter(([, files]) => files.length > 30).map(([folder, files]) => [folder, files.length]),
    ).toEqual([]);
    expect(files.filter((path) => basename(path) === "index.ts")).toEqual([]);
  });
});
