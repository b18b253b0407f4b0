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
      "fullRoles.slice(fullRoles.indexOf(role))",
      "fullRoles.slice(0 * fullRoles.indexOf(role))",
    ],
  }),
  {
    without: "a second check that a user has not signed in again before the keys of their ended membership are deleted",
    file: "lib/store/access/orphaned-sign-in-keys.ts",
    changes: [
      [
        "if (!keepsKeys(await get(memberKey(organization, maker)))) await",
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
  ...mutantsOf("lib/http/guards/caller-projects.ts", ["test/store/access/access-guards.test.ts"], {
    "checking a labeller's role for each request, also when another route has cached the project": [
      "    requireMemberPermission(resolved.role, route.permission);\n",
      "",
    ],
  }),
  {
    without: "checking a labeller's role on routes of an organization",
    file: "lib/http/guards/organization-guard.ts",
    changes: [
      [
        "requireMemberPermission(requireMember(await members.role(id, userId)), route.permission);",
        'requireMemberPermission(requireMember(await members.role(id, userId)), "label");',
      ],
    ],
    caughtBy: ["test/api/every-route/scopes.test.ts"],
  },
  {
    without: "refusing routes for members to a labeller",
    file: "lib/domain/access/role.ts",
    changes: [
      [
        'memberRole === "LABELLER" || roles.indexOf(memberRole) > roles.indexOf(minimumRole)',
        'memberRole !== "LABELLER" && roles.indexOf(memberRole) > roles.indexOf(minimumRole)',
      ],
      ["return memberRole;\n", "return memberRole as FullRole;\n"],
    ],
    caughtBy: ["test/api/access/labellers.test.ts"],
  },
  ...mutantsOf("lib/domain/access/membership.ts", ["test/api/access/labellers.test.ts"], {
    "hiding from a labeller who is a member": [
      'if (actor === "LABELLER" && !isSelf)',
      'if (target !== null && actor === "LABELLER" && !isSelf)',
    ],
  }),
  {
    without: "refusing a full key to a sign-in whose user has become a labeller",
    file: "lib/store/access/cli-codes.ts",
    changes: [['      if (role === "LABELLER") return (await write(useUp)).size === 0 ? "no-maker" : "used";\n', ""]],
    caughtBy: ["test/api/access/labellers.test.ts"],
  },
  {
    without: "ending the sign-in keys of a member who becomes a labeller",
    file: "functions/api/access/organizations/update-member.ts",
    changes: [['if (role === "LABELLER") await', 'if (role === "OWNER") await']],
    caughtBy: ["test/api/access/labellers.test.ts"],
  },
  {
    without: "ending the sign-in keys of a labeller after a crash",
    file: "lib/store/access/orphaned-sign-in-keys.ts",
    changes: [[' && member["role"] !== "LABELLER"', ""]],
    caughtBy: ["test/store/access/orphaned-sign-in-keys.test.ts"],
  },
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
