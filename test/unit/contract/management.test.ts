import { expect, test } from "vitest";
import { routes } from "../../../lib/contract/routes.ts";
import { isManagement } from "../../../lib/domain/access/management.ts";

test("the routes that take bearer tokens alone are known by their paths", () => {
  const guarded = routes.filter(({ access }) => access !== "public");

  expect(guarded.filter(({ path }) => isManagement(path)).map(({ id }) => id)).toEqual(
    guarded.filter(({ access }) => access === "user").map(({ id }) => id),
  );
});
