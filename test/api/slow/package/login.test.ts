import { spawn } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { browserOfFile } from "../../../support/browser/file-browser.ts";
import { goSignedIn } from "../../../support/browser/browser.ts";
import { commandLine, installPackage, type InstalledPackage } from "../../../support/package/installed-package.ts";

const service = inject("service");
const browser = browserOfFile();
let installed: InstalledPackage;
beforeAll(async () => {
  installed = await installPackage();
});
afterAll(() => installed.remove());

/** Starts the sign-in. @returns the page's address that it prints, and its end. */
const startLogin = async () => {
  const login = spawn(process.execPath, [commandLine, "login", "--no-browser", "--url", `${service.baseUrl}/`], {
    cwd: installed.folder,
    env: { XDG_CONFIG_HOME: join(installed.folder, "config") },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const address = Promise.withResolvers<string>();
  for (const stream of [login.stdout, login.stderr])
    stream.setEncoding("utf8").on("data", (part: string) => {
      output += part;
      const [, url] = /Sign in at (\S+)\n/u.exec(output) ?? [];
      if (url !== undefined) address.resolve(url);
    });
  const end = new Promise<{ code: number | null; output: string }>((resolve) => {
    login.on("close", (code) => resolve({ code, output }));
  });
  return { address: await address.promise, end };
};

const authorize = async (address: string, button: "Authorize" | "Cancel"): Promise<void> => {
  const page = await (await browser().newContext()).newPage();
  await goSignedIn(page, service, address.slice(service.baseUrl.length));
  await page.getByRole("button", { name: button }).click();
  await page.getByText("You can close this page.").waitFor();
};

test("the sign-in stores a key that only its owner can read, and that only its service gets", async () => {
  const { address, end } = await startLogin();
  const port = new URL(address).searchParams.get("port");
  const forged = await fetch(`http://127.0.0.1:${port}/callback?code=stolen&state=guess`);
  await authorize(address, "Authorize");
  const { code, output } = await end;

  const file = join(installed.folder, "config/assay/keys.json");
  const saved = JSON.parse(readFileSync(file, "utf8")) as { keys: Record<string, { api_key: string }> };
  const key = saved.keys[service.baseUrl]?.api_key ?? "";
  expect([forged.status, code]).toEqual([404, 0]);
  expect(key).toMatch(/^sk_as_/u);
  expect(output).not.toContain(key);
  expect([statSync(file).mode & 0o777, statSync(join(file, "..")).mode & 0o777]).toEqual([0o600, 0o700]);
  expect(await installed.assay(["doctor"])).toMatchObject({ code: 0, stdout: expect.not.stringContaining("FAILED") });
  const elsewhere = await installed.assay(["doctor", "--url", service.baseUrl.replace("127.0.0.1", "localhost")]);
  expect(elsewhere).toMatchObject({ code: 1, stdout: expect.stringContaining("there is none: set ASSAY_API_KEY") });
});

test("a sign-in that the person declines ends with the reason and stores nothing", async () => {
  const { address, end } = await startLogin();
  await authorize(address, "Cancel");

  expect(await end).toEqual({ code: 2, output: `Sign in at ${address}\nThe sign-in was refused.\n` });
});
