import { floors, wings } from "./test/unit/layout/floors.ts";

const here = String.raw`\./`;
const up = String.raw`\.\./`;

/** Forbids imports of what stands after `prefix` in a relative path. */
const forbidding = (files: string, ...forbidden: readonly (readonly [prefix: string, names: readonly string[]])[]) => ({
  files: [files],
  rules: {
    "eslint/no-restricted-imports": [
      "error",
      {
        patterns: forbidden
          .filter(([, names]) => names.length > 0)
          .map(([prefix, names]) => ({
            regex: `^${prefix}(?:${names.join("|")})(?:/|$)`,
            message: "The plan of lib does not allow this import: test/unit/layout/floors.ts",
          })),
      },
    ],
  },
});

/** Depths of the folders below a wing that the plan covers: files of the wing, and of folders in it. */
const depths = [0, 1, 2];

/** What the plan of `lib` forbids: floors that a floor may not import, and wings above a wing. */
export const plan = Object.keys(floors).flatMap((floor) => {
  const others = Object.keys(floors).filter((other) => other !== floor && floors[floor]?.includes(other) !== true);
  const order = wings[floor] ?? ["."];
  const above = (wing: string): readonly string[] =>
    order.slice(order.indexOf(wing) + 1).map((each) => (each === "." ? String.raw`[^/]+\.tsx?` : each));
  const inWing = (wing: string, wingsAbove: readonly string[]) =>
    depths.map((depth) =>
      forbidding(
        `lib/${floor}/${wing}/${"*/".repeat(depth)}*.{ts,tsx}`,
        [up.repeat(depth + 2), others],
        [up.repeat(depth + 1), wingsAbove],
      ),
    );
  return [forbidding(`lib/${floor}/*.{ts,tsx}`, [up, others], [here, above(".")])].concat(
    inWing("*", []),
    order
      .filter((wing) => wing !== ".")
      .flatMap((wing) =>
        wing.endsWith(".ts") ? [forbidding(`lib/${floor}/${wing}`, [up, others])] : inWing(wing, above(wing)),
      ),
  );
});

const slowRule = "Move the test to test/<kind>/slow/, or say here why each contributor should wait for it";

/** What makes a test slow: Chromium, processes and services of its own, and synthesis. */
const slowImports = {
  patterns: [
    { regex: "support/browser/browser|support/browser/page", message: `${slowRule}: it starts Chromium.` },
    { regex: "^node:child_process$", message: `${slowRule}: it starts a process.` },
    { regex: "/synth(?:esize)?\\.ts$|/fixture-app\\.ts$", message: `${slowRule}: it synthesizes.` },
    {
      regex: "support/service/service\\.ts$",
      importNames: ["startService"],
      message: `${slowRule}: it starts a service.`,
    },
  ],
};

export default {
  plugins: ["typescript", "unicorn", "import", "oxc", "vitest", "promise", "node"],
  categories: {
    correctness: "error",
    suspicious: "error",
    perf: "error",
  },
  options: {
    typeAware: true,
  },
  rules: {
    "typescript/no-floating-promises": "error",
    "typescript/no-misused-promises": "error",
    "typescript/await-thenable": "error",
    "typescript/switch-exhaustiveness-check": "error",
    "typescript/no-explicit-any": "error",
    "typescript/consistent-type-imports": "error",
    "eslint/no-await-in-loop": "off",
    "eslint/no-shadow": "off",
    "unicorn/no-array-sort": "off",
    "unicorn/consistent-function-scoping": "off",
    "unicorn/require-post-message-target-origin": "off",
    "import/no-named-as-default-member": "off",
  },
  overrides: [
    ...plan,
    {
      files: ["vitest.*config.ts"],
      rules: {
        "import/no-unassigned-import": ["error", { allow: ["./infra/require-node.mjs"] }],
      },
    },
    {
      files: ["test/**"],
      rules: {
        "typescript/no-unsafe-type-assertion": "off",
        "typescript/unbound-method": "off",
        "typescript/require-array-sort-compare": "off",
      },
    },
    { files: ["test/*/**/*.test.ts"], rules: { "eslint/no-restricted-imports": ["error", slowImports] } },
    { files: ["test/*/slow/**"], rules: { "eslint/no-restricted-imports": "off" } },
    {
      files: ["infra/**"],
      rules: {
        "eslint/no-new": "off",
      },
    },
    {
      files: ["infra/local/**"],
      rules: {
        "typescript/no-unsafe-type-assertion": "off",
        "typescript/unbound-method": "off",
        "typescript/no-unnecessary-type-parameters": "off",
      },
    },
  ],
};
