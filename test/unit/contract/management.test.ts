import { expect, test } from "vitest";
import { routes } from "../../../lib/contract/routes.ts";
import { isManagementPath } from "../../../lib/domain/access/management.ts";

test("routes that accept bearer tokens only are recognised by their paths", () => {
  const guarded = routes.filter(({ access }) => access !== "public");

  expect(guarded.filter(({ path }) => isManagementPath(path)).map(({ id }) => id)).toEqual(
    guarded.filter(({ access }) => access === "user").map(({ id }) => id),
  );
});
