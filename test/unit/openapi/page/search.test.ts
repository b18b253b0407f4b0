import type { Window } from "happy-dom";
import { afterEach, describe, expect, test } from "vitest";
import { documentedRoutes, openApiDocument } from "../../../../lib/contract/openapi/document.ts";
import { resolve } from "../../../../lib/contract/openapi/openapi.ts";
import { documentPages } from "../../../../lib/contract/openapi/page/page.ts";
import type { Route } from "../../../../lib/contract/route.ts";
import { routes } from "../../../../lib/contract/routes.ts";
import { createTraceBatchRun, createTraceRun } from "../../../../lib/contract/runs/trace-runs.ts";
import { createTrace } from "../../../../lib/contract/traces/traces.ts";
import { renderedPage } from "../../../support/page/rendered-page.ts";

const [phone, desktop] = [360, 1280];
const described = openApiDocument(routes);
const pageOf = documentPages(described);
const textOf = (topic: string): string => pageOf(topic, "http://127.0.0.1:4000") ?? "";

let window: Window;
afterEach(() => window.happyDOM.close());

const element = (selector: string) => {
  const match = window.document.querySelector(selector);
  if (match === null) throw new Error(`The page has no ${selector}.`);
  return match;
};

/** Opens a page of the documentation with its script running; `""` is the first page. @param index the search index; null if it fails. */
const open = (width = desktop, topic = "", index: string | null = textOf("search.json")): void => {
  window = renderedPage(textOf(topic), { scripts: true, width, topic, files: { "/docs/search.json": index } });
};

const field = () => element("#query") as InstanceType<Window["HTMLInputElement"]>;
const status = (): string => element("#found").textContent;

/** Types a text and waits for its results. @returns ids of the places that are found, best first. */
const type = async (text: string): Promise<readonly string[]> => {
  field().value = text;
  field().dispatchEvent(new window.Event("input"));
  await window.happyDOM.waitUntilComplete();
  return [...window.document.querySelectorAll("#hits a")].map((link) => link.getAttribute("href")?.split("#")[1] ?? "");
};

/**
 * Presses a key in the focused element.
 * @returns true if the browser would perform its default action.
 */
const press = (key: string, modifiers: object = {}): boolean =>
  (window.document.activeElement ?? window.document.body).dispatchEvent(
    new window.KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...modifiers }),
  );

const unfolded = (): string[] =>
  [...window.document.querySelectorAll("nav details details[open] > summary")].map(
    ({ firstChild }) => firstChild?.textContent.trim() ?? "",
  );

/** Words of an operation that a reader could search for. */
const wordsOf = ({ path, method, id }: Route): string => {
  const operation = described.paths[path]?.[method.toLowerCase()];
  if (operation === undefined) throw new Error(`${id} is not in the document.`);
  const parameters = operation.parameters.map((each) => resolve(described.components.parameters, each).name);
  const schema = operation.requestBody?.content["application/json"]?.schema;
  const fields = Object.keys(
    schema === undefined ? {} : (resolve(described.components.schemas, schema).properties ?? {}),
  );
  return [method, path, operation.summary, ...parameters, ...fields].join(" ");
};

describe("the search field", () => {
  test("is shown by the script that runs it", () => {
    open();

    expect(element("#search").hasAttribute("hidden")).toBe(false);
    expect(status()).toBe("");
  });

  test("finds every operation by its path, its summary and the names of its parameters and fields", async () => {
    open();
    const missed: string[] = [];
    for (const route of documentedRoutes(routes))
      if (!(await type(wordsOf(route))).includes(route.id)) missed.push(route.id);

    expect(missed).toEqual([]);
  });

  test("accepts words in any order and case, and parts of words", async () => {
    open();

    expect((await type("FILTERS  evalu post")).slice(0, 1)).toEqual([createTraceRun.id]);
    expect(status()).toMatch(/^\d+ places(?:, the best 30 below)?\. Enter opens the first one\.$/u);
  });

  test.each([
    ["gate", "experiments-and-gates"],
    ["gate releases", "experiments-and-gates"],
    ["run experiments", "experiments-and-gates"],
    ["experiment", "experiments-and-gates"],
    ["dataset", "dataset-items"],
    ["masking", "masking"],
    ["redact", "masking"],
    ["docker", "docker"],
    ["ceiling", "spend"],
    ["monitor", "monitors"],
    ["score", "scores"],
    ["run", "runs"],
  ])("lists the guide or page about '%s' before operations, events and fields", async (text, place) => {
    open();

    expect((await type(text))[0]).toBe(place);
  });

  test("finds what begins like a word that is nowhere, and says so when there is nothing", async () => {
    open();

    expect((await type("cascading"))[0]).toBe("schema-JudgeCascade");
    expect(await type("zzzz")).toEqual([]);
    expect(status()).toBe("Nothing found.");
  });

  test("shows the contents again once it is cleared", async () => {
    open();
    await type("runs");
    const during = [element("#hits"), element("#contents")].map((each) => each.hasAttribute("hidden"));
    await type("");

    expect(during).toEqual([false, true]);
    expect([element("#hits"), element("#contents")].map((each) => each.hasAttribute("hidden"))).toEqual([true, false]);
    expect(status()).toBe("");
  });

  test("says that its index could not be loaded", async () => {
    open(desktop, "", null);

    expect(await type("runs")).toEqual([]);
    expect(status()).toBe("The search could not be loaded. Type again to retry.");
  });
});

describe("the keyboard shortcuts", () => {
  test("focus the field with a slash instead of typing it", () => {
    open();

    expect(press("/")).toBe(false);
    expect(window.document.activeElement).toBe(field());
    expect(press("/")).toBe(true);
  });

  test.each([{ ctrlKey: true }, { metaKey: true }, { altKey: true }])(
    "leave %o and a slash to the browser",
    (modifiers) => {
      open();

      expect(press("/", modifiers)).toBe(true);
      expect(window.document.activeElement).not.toBe(field());
    },
  );

  test("clear the field with Escape and keep the focus in it", async () => {
    open();
    press("/");
    await type("runs");
    press("Escape");

    expect(field().value).toBe("");
    expect(element("#hits").hasAttribute("hidden")).toBe(true);
    expect(window.document.activeElement).toBe(field());
  });

  test("open the first result with Enter, and nothing without one", async () => {
    open(desktop, "runs");
    press("/");
    await type("zzzz");
    press("Enter");
    await window.happyDOM.waitUntilComplete();
    const before = window.location.hash;
    await type("trace-runs/batch");
    press("Enter");
    await window.happyDOM.waitUntilComplete();

    expect([before, window.location.hash]).toEqual(["", `#${createTraceBatchRun.id}`]);
  });

  test("move from the field into the results and back with the arrow keys", async () => {
    open();
    press("/");
    await type("runs");
    press("ArrowDown");
    const first = window.document.activeElement?.getAttribute("href");
    press("ArrowUp");

    expect(first).toBe(element("#hits a").getAttribute("href"));
    expect(window.document.activeElement).toBe(field());
  });
});

describe("the contents", () => {
  test("collapse on a phone when an operation is chosen", () => {
    open(phone, "service");
    element("#contents").setAttribute("open", "");
    element("nav details details a").dispatchEvent(new window.MouseEvent("click", { bubbles: true }));

    expect(element("#contents").hasAttribute("open")).toBe(false);
  });

  test("highlight the operation in the address, and expand its resource", () => {
    open(desktop, "traces");
    window.location.hash = `#${createTrace.id}`;
    window.dispatchEvent(new window.Event("hashchange"));
    const marked = [...window.document.querySelectorAll("[aria-current]")].map((link) => link.getAttribute("href"));

    expect(marked).toEqual([`#${createTrace.id}`]);
    expect(unfolded()).toEqual(["Traces"]);
  });
});
