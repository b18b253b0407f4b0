import type { Window } from "happy-dom";
import { afterEach, describe, expect, test } from "vitest";
import { documentedRoutes, openApiDocument } from "../../../../lib/contract/openapi/document.ts";
import { resolve } from "../../../../lib/contract/openapi/openapi.ts";
import { documentPages } from "../../../../lib/contract/openapi/page/page.ts";
import type { Route } from "../../../../lib/contract/route.ts";
import { routes } from "../../../../lib/contract/routes.ts";
import { createTraceBatchRun, createTraceRun, listTraceRuns } from "../../../../lib/contract/runs/trace-runs.ts";
import { getTraceScores } from "../../../../lib/contract/scores/trace-scores.ts";
import { getHealth } from "../../../../lib/contract/service.ts";
import { createTrace } from "../../../../lib/contract/traces/traces.ts";
import { renderedPage } from "../../../support/page/rendered-page.ts";

const [phone, desktop] = [360, 1280];
const few = [getHealth, createTrace, createTraceRun, createTraceBatchRun, listTraceRuns, getTraceScores];

const described = openApiDocument(routes);

let window: Window;
afterEach(() => window.happyDOM.close());

const element = (selector: string) => {
  const match = window.document.querySelector(selector);
  if (match === null) throw new Error(`The page has no ${selector}.`);
  return match;
};

/** Opens a page of the documentation of some routes with its script running; `""` is the first page. */
const open = (documentedRoutes: readonly Route[] = few, width = desktop, topic = ""): void => {
  const page = documentPages(openApiDocument(documentedRoutes))(topic, "http://127.0.0.1:4000") ?? "";
  window = renderedPage(page, { scripts: true, width, topic });
};

const field = () => element("#query") as InstanceType<Window["HTMLInputElement"]>;

const type = (text: string): void => {
  field().value = text;
  field().dispatchEvent(new window.Event("input"));
};

/**
 * Presses a key in the focused element.
 * @returns true if the browser would perform its default action.
 */
const press = (key: string, modifiers: object = {}): boolean =>
  (window.document.activeElement ?? window.document.body).dispatchEvent(
    new window.KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...modifiers }),
  );

const shownOperations = (): string[] =>
  [...window.document.querySelectorAll("nav details details:not([hidden]) li[data-words]:not([hidden]) a")].map(
    (link) => link.getAttribute("href")?.split("#")[1] ?? "",
  );

const unfolded = (): string[] =>
  [...window.document.querySelectorAll("nav details details[open] > summary")].map(
    ({ firstChild }) => firstChild?.textContent.trim() ?? "",
  );

const status = (): string => element("#found").textContent;

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
    expect(shownOperations()).toHaveLength(few.length);
    expect(status()).toBe("");
  });

  test("finds every operation by its path, its summary and the names of its parameters and fields", () => {
    const documented = documentedRoutes(routes);
    open(documented);
    const missed = documented.filter((route) => {
      type(wordsOf(route));
      return !shownOperations().includes(route.id);
    });

    expect(missed.map(({ id }) => id)).toEqual([]);
  });

  test("accepts words in any order and case, and parts of words", () => {
    open();
    type("RUNS  evalu post");

    expect(shownOperations()).toEqual([createTraceRun.id, createTraceBatchRun.id]);
    expect(status()).toBe("2 of 6 operations");
  });

  test("expands resources with matches, and reports when there are none", () => {
    open();
    type("sampling_rate");
    const [inRuns, folded] = [shownOperations(), unfolded()];
    type("sampling_rate no such thing");

    expect([inRuns, folded]).toEqual([[createTraceRun.id], ["Runs"]]);
    expect(shownOperations()).toEqual([]);
    expect(status()).toBe("0 of 6 operations");
    expect(element("#nothing").hasAttribute("hidden")).toBe(false);
  });

  test("restores the contents once it is cleared", () => {
    open();
    element("nav details details").setAttribute("open", "");
    const before = unfolded();
    type("runs");
    type("");

    expect(before).toEqual(["Service"]);
    expect(unfolded()).toEqual(before);
    expect(shownOperations()).toHaveLength(few.length);
    expect(element("#nothing").hasAttribute("hidden")).toBe(true);
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

  test("clear the field with Escape and keep the focus in it", () => {
    open();
    press("/");
    type("runs");
    press("Escape");

    expect(field().value).toBe("");
    expect(shownOperations()).toHaveLength(few.length);
    expect(window.document.activeElement).toBe(field());
  });

  test("go to the first matching operation with Enter, and nowhere without a match", () => {
    open(few, desktop, "runs");
    press("/");
    press("Enter");
    type("no such thing");
    press("Enter");
    const before = window.location.hash;
    type("batch");
    press("Enter");

    expect([before, window.location.hash]).toEqual(["", `#${createTraceBatchRun.id}`]);
  });
});

describe("the contents", () => {
  test("expand on a phone during a search and collapse when an operation is chosen", () => {
    open(few, phone, "service");
    const before = element("#contents").hasAttribute("open");
    type("health");
    const during = element("#contents").hasAttribute("open");
    press("/");
    press("Enter");

    expect([before, during, element("#contents").hasAttribute("open")]).toEqual([false, true, false]);
  });

  test("highlight the operation in the address, and expand its resource", () => {
    open(few, desktop, "traces");
    window.location.hash = `#${createTrace.id}`;
    window.dispatchEvent(new window.Event("hashchange"));
    const marked = [...window.document.querySelectorAll("[aria-current]")].map((link) => link.getAttribute("href"));

    expect(marked).toEqual([`#${createTrace.id}`]);
    expect(unfolded()).toEqual(["Traces"]);
  });
});
