import { readFileSync } from "node:fs";
import { basename, dirname, matchesGlob } from "node:path";
import { describe, expect, test } from "vitest";
import { plan } from "../../../oxlint.config.ts";
import { floors, wings } from "./floors.ts";
import { circlesIn, filesIn, importsIn, importsOf, type Import } from "./imports.ts";

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

const importsForbiddenFloor = ({ from, to }: Import): boolean => {
  const [floor, importedFloor] = [floorOf(from), floorOf(to)];
  if (importedFloor === null || floor === importedFloor) return !to.startsWith("lib/") && !to.endsWith(".json");
  return floor === null || floors[floor]?.includes(importedFloor) !== true;
};

const importsWingAbove = ({ from, to }: Import): boolean => {
  const floor = floorOf(from);
  const order = floor === null || floor !== floorOf(to) ? undefined : wings[floor];
  return order !== undefined && order.indexOf(wingOf(to)) > order.indexOf(wingOf(from));
};

/** Import paths that lint forbids in a file, as regular expressions; of several overrides of a file the last one counts. */
/** Rules of the plan by the folder of their floor: matching every path with every rule takes seconds. */
const rulesByFloor = Map.groupBy(plan, ({ files: [glob = ""] }) => glob.split("/", 2).join("/"));

const lintPatterns = (path: string): readonly string[] =>
  (
    rulesByFloor
      .get(path.split("/", 2).join("/"))
      ?.findLast(({ files }) => files.some((glob) => matchesGlob(path, glob)))?.rules["eslint/no-restricted-imports"] ??
    []
  )
    .flatMap((each) => (typeof each === "string" ? [] : each.patterns))
    .map(({ regex }) => regex);

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
    expect(arrows(imports.filter(importsForbiddenFloor))).toEqual([]);
  });

  test("the plan has no cycle: its floors can be ordered", () => {
    const edges = Object.entries(floors).flatMap(([from, below]) => below.map((to) => ({ from, to })));
    expect(circlesIn(edges)).toEqual([]);
  });

  test("no function stores traces without the list of prices", () => {
    const direct = [...inLib, ...filesIn("functions")].filter(
      (path) => !path.startsWith("lib/store/") && /\btraceStore\(/u.test(readFileSync(path, "utf8")),
    );
    expect(direct).toEqual(["lib/wiring/trace-prices.ts"]);
  });

  test("no call to AWS can hang: every client gets its time limits from one place", () => {
    // Programs of the console are text: LangSmith's `Client` is not called by the service.
    const calling = inLib.filter((path) => !path.startsWith("lib/console/start/"));
    const code = [...calling, ...filesIn("functions"), "infra/create-key.ts"];
    const clientFiles = code.filter((path) => /\bnew\s+\w*Client\b/u.test(readFileSync(path, "utf8")));
    expect(clientFiles).toEqual([]);
  });

  test("a wing imports only wings below it", () => {
    expect(arrows(imports.filter(importsWingAbove))).toEqual([]);
  });

  test("components (.tsx) are within the plan, for this test and for lint, in every form of import", () => {
    const component = "lib/console/parts/example.tsx";
    const forbidden = ["../../store/a.ts", "../../judge/b.ts", "../pages/c.tsx", "../app/app.tsx"];
    const [a, b, c, app] = forbidden;
    const text = `import { type A,\n A2 } from "${a}";\nimport "${b}";\nexport * from "${c}";\nawait import("${app}");`;
    const broken = importsIn(component, text).filter((each) => importsForbiddenFloor(each) || importsWingAbove(each));
    expect(broken.map(({ to }) => to)).toEqual(
      forbidden.map((path) => path.replace("../../", "lib/").replace("../", "lib/console/")),
    );
    const refused = new RegExp(lintPatterns(component).join("|"), "u");
    expect(forbidden.filter((path) => !refused.test(path))).toEqual([]);
    const components = inLib.filter((path) => path.endsWith(".tsx"));
    expect(components).toContain("lib/console/app/app.tsx");
    expect(inLib.filter((path) => floorOf(path) !== null && lintPatterns(path).length === 0)).toEqual([]);
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
