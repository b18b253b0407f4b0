#!/usr/bin/env node
// Plain JavaScript, because an old Node.js version, which gets a sentence, cannot load TypeScript.
await import("../../require-node.mjs");
const { installCdk } = await import("./install-cdk.ts");
await import(installCdk());
