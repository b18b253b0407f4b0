import { expect, test } from "vitest";
import { sessionVersion } from "../../../../lib/domain/scores/session-version.ts";

const trace = { traceId: "t", incarnation: "i", contentVersion: 1 };
const otherTrace = { traceId: "u", incarnation: "j", contentVersion: 1 };

test("a session's version changes when a trace is added, changed or stored again, and is null without traces", () => {
  const versions = [
    [trace, otherTrace],
    [trace],
    [{ ...trace, contentVersion: 2 }, otherTrace],
    [{ ...trace, incarnation: "k" }, otherTrace],
  ].map(sessionVersion);

  expect(versions.map((version) => version?.slice(0, 2))).toEqual(["2-", "1-", "2-", "2-"]);
  expect(new Set(versions).size).toBe(4);
  expect(sessionVersion([{ ...trace }, { ...otherTrace }])).toBe(versions[0]);
  expect(sessionVersion([])).toBeNull();
});
