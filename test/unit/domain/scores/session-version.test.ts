import { expect, test } from "vitest";
import { sessionVersion } from "../../../../lib/domain/scores/session-version.ts";

const trace = { traceId: "t", incarnation: "i", contentVersion: 1 };
const other = { traceId: "u", incarnation: "j", contentVersion: 1 };

test("a session's version is another when a trace of it came, changed or was stored anew, and none without traces", () => {
  const versions = [
    [trace, other],
    [trace],
    [{ ...trace, contentVersion: 2 }, other],
    [{ ...trace, incarnation: "k" }, other],
  ].map(sessionVersion);

  expect(versions.map((version) => version?.slice(0, 2))).toEqual(["2-", "1-", "2-", "2-"]);
  expect(new Set(versions).size).toBe(4);
  expect(sessionVersion([{ ...trace }, { ...other }])).toBe(versions[0]);
  expect(sessionVersion([])).toBeNull();
});
