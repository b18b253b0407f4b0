import packed from "@sparticuz/chromium";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import type { Service, Tenant } from "../service/service.ts";
import { stepTimeout } from "../vitest/limits.ts";
import { packedBrowser } from "./packed-browser.ts";

/** Flags of a single-process browser, which starts faster but may exit when a page opens another page. */
const ofOneProcess = new Set(["--single-process", "--no-zygote"]);
/** Flag of the package that would let pages read other origins, so that no test could find a missing header. */
const withoutSecurity = "--disable-web-security";

/** True where the packaged browser runs: on x86-64 Linux with glibc, of which only Node.js's report tells. */
const hasPackagedBrowser = (): boolean => {
  Object.assign(process.report, { excludeNetwork: true });
  const { header } = process.report.getReport() as { readonly header: { readonly glibcVersionRuntime?: string } };
  return process.platform === "linux" && process.arch === "x64" && header.glibcVersionRuntime !== undefined;
};

/**
 * Starts a real browser: the packaged one where it runs, otherwise an installed Chrome.
 * @param opensTabs true if pages open other pages.
 */
export const startBrowser = async (opensTabs = false): Promise<Browser> => {
  if (!hasPackagedBrowser()) return await chromium.launch({ channel: "chrome" });
  // Disables WebGL, which the console does not use; pages then need a third less CPU.
  packed.setGraphicsMode = false;
  const args = packed.args.filter((arg) => arg !== withoutSecurity && !(opensTabs && ofOneProcess.has(arg)));
  return await chromium.launch({ executablePath: await packedBrowser(), args });
};

/** A page of the console, with the errors that occurred in it. */
export interface ConsolePage {
  readonly page: Page;
  /** Exceptions, violations of the content security policy and error messages; normally empty. */
  readonly faults: string[];
}

/** A service, and the user and project to open it with; without a project the user's first one is displayed. */
type SignInTarget = Pick<Service, "baseUrl"> & {
  readonly tenant: Pick<Tenant, "bearerToken"> & { readonly projectId: string | null };
};

/**
 * Opens a path of the service in a page whose tab has the session of a tenant's owner.
 * @param page with a document of another path: another fragment of the same one would load nothing.
 */
export const goSignedIn = async (
  page: Page,
  { baseUrl, tenant: { bearerToken: token, projectId } }: SignInTarget,
  path: string,
): Promise<void> => {
  const viewer = JSON.stringify({ kind: "token", token, projectId });
  const content = `sessionStorage.setItem("assay-reader", ${JSON.stringify(viewer)})`;
  const signIn = await page.addInitScript({ content });
  await page.goto(`${baseUrl}${path}`);
  // The session may end later, so further documents do not start it again.
  await signIn.dispose();
};

/**
 * Opens the console signed in as the owner of a tenant's organization.
 * @param hash initial location, such as `#/traces`.
 */
export const openConsole = async (
  browser: Browser,
  { baseUrl, tenant }: SignInTarget,
  hash: string,
  options: BrowserContextOptions = {},
): Promise<ConsolePage> => {
  // Without a locale the packaged browser has `en-US@posix`, which is no language tag.
  const context = await browser.newContext({ locale: "en-US", viewport: { width: 1280, height: 800 }, ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(stepTimeout);
  const faults: string[] = [];
  page.on("pageerror", ({ message }) => faults.push(message));
  page.on("console", (message) => {
    // A 429 or 503 reply is expected under load: the console retries and reports it on the page.
    const isBusy = /the server responded with a status of (?:429|503)/u.test(message.text());
    if (message.type() === "error" && !isBusy) faults.push(message.text());
  });
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== new URL(baseUrl).origin) faults.push(`asked ${request.url()}`);
  });
  await goSignedIn(page, { baseUrl, tenant }, `/console${hash}`);
  await page.locator("header.top").waitFor();
  return { page, faults };
};
