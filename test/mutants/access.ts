import { mutantsOf, type Mutant } from "./mutant.ts";

/** Mutants of access control: gateway keys, API keys, invitations and memberships. */
export const access: readonly Mutant[] = [
  {
    without: "a second check that a client still exists after its gateway key was reconciled",
    file: "lib/gateway-keys/settle.ts",
    changes: [["=== wasHeld || tryAgain;", "=== wasHeld || true;"]],
    caughtBy: ["test/store/access/reconcile-gateway-keys.test.ts"],
  },
  {
    without: "storing the cursor of a reconciliation before a page is processed",
    file: "lib/maintenance/reconcile-access.ts",
    changes: [
      ["      if (!counts.left) await cursor.set(next);\n", ""],
      ["      from = next;", "      if (!counts.left) await cursor.set(next);\n      from = next;"],
    ],
    caughtBy: ["test/store/access/reconcile-gateway-keys.test.ts"],
  },
  {
    without: "an organization's guaranteed share of the gateway keys",
    file: "lib/store/access/clients/gateway-keys.ts",
    changes: [["keyRoom.max, keyRoom.guaranteed)", "keyRoom.max, keyRoom.max)"]],
    caughtBy: ["test/store/access/gateway-keys.test.ts"],
  },
  {
    without: "deleting the gateway key of an expired API key",
    file: "lib/store/access/clients/client-holders.ts",
    changes: [[" && (expiresAt === null || expiresAt > now())", " && (expiresAt === null || now() > 0)"]],
    caughtBy: ["test/store/access/reconcile-gateway-keys.test.ts"],
  },
  ...mutantsOf("lib/store/access/api-key-writes.ts", ["test/store/access/key-creation.test.ts"], {
    "checking the creator's membership in the transaction that creates an API key": [
      'when: "#role = :role"',
      'when: "attribute_not_exists(pk) OR #role <> :role OR #role = :role"',
    ],
    "checking the creator's role in the transaction that creates an API key": [
      "roles.slice(roles.indexOf(role))",
      "roles.slice(0 * roles.indexOf(role))",
    ],
  }),
  {
    without: "a second check that a user has not signed in again before the keys of their ended membership are deleted",
    file: "lib/store/access/orphaned-sign-in-keys.ts",
    changes: [
      [
        "if ((await get(memberKey(organization, maker))) === undefined) await",
        "await get(memberKey(organization, maker)); await",
      ],
    ],
    caughtBy: ["test/store/access/orphaned-sign-in-keys.test.ts"],
  },
  {
    without: "the permission check of a route on the API key's scope",
    file: "lib/http/guards/project-guard.ts",
    changes: [["    requirePermission(key.scope, route.permission);\n", ""]],
    caughtBy: ["test/api/every-route/scopes.test.ts"],
  },
  {
    without: "the check that an API key may store the scores of a request",
    file: "lib/handlers/scores/import-scores.ts",
    changes: [["if (accessFlaw !== null) return", 'if (accessFlaw === "") return']],
    caughtBy: ["test/api/scores/score-access.test.ts"],
  },
  ...mutantsOf("lib/http/guards/caller-projects.ts", ["test/api/every-route/scopes.test.ts"], {
    "the restriction of an API key to one project when the request names another project": [
      "return created;\n      });\n      requireProjectAccess(scope, project.id);\n",
      "return created;\n      });\n",
    ],
    "the restriction of an API key to one project when the request gives another project's id": [
      "return existing;\n      });\n      requireProjectAccess(scope, project.id);\n",
      "return existing;\n      });\n",
    ],
  }),
  {
    without: "removing the expiry of an invitation that is accepted",
    file: "lib/store/access/invitations.ts",
    changes: [['"SET #status = :status REMOVE #ttl"', '"SET #status = :status"']],
    caughtBy: ["test/store/access/invitation-expiry.test.ts"],
  },
  {
    without: "deleting a user together with their last membership: for a moment the user has no organization",
    file: "lib/store/access/user-removal.ts",
    changes: [["const [last, ...earlier] = states;", "const [last, ...earlier] = [undefined, ...states];"]],
    caughtBy: ["test/store/access/user-removal.test.ts"],
  },
  {
    without: "checking that a user who accepts an invitation was not removed meanwhile",
    file: "lib/store/access/invitations.ts",
    changes: [['{ ...count, when: "attribute_exists(pk)" },', "count,"]],
    caughtBy: ["test/store/access/user-removal.test.ts"],
  },
];
