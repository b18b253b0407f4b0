import type { Window } from "happy-dom";
import { afterEach, describe, expect, test } from "vitest";
import { openApiDocument } from "../../../../lib/contract/openapi/document.ts";
import { resolve } from "../../../../lib/contract/openapi/openapi.ts";
import { documentPage } from "../../../../lib/contract/openapi/page/page.ts";
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
  const found = window.document.querySelector(selector);
  if (found === null) throw new Error(`The page has no ${selector}.`);
  return found;
};

/** Opens the page of some routes with its script running. */
const open = (shown: readonly Route[] = few, width = desktop): void => {
  window = renderedPage(documentPage(openApiDocument(shown))("http://127.0.0.1:4000"), { scripts: true, width });
};

const field = () => element("#query") as InstanceType<Window["HTMLInputElement"]>;

const type = (text: string): void => {
  field().value = text;
  field().dispatchEvent(new window.Event("input"));
};

/** Presses a key where the focus is. @returns whether the browser would go on to do what it does by itself. */
const press = (key: string, modifiers: object = {}): boolean =>
  (window.document.activeElement ?? window.document.body).dispatchEvent(
    new window.KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...modifiers }),
  );

const found = (): string[] =>
  [...window.document.querySelectorAll("nav details details:not([hidden]) li:not([hidden]) a")].map(
    (link) => link.getAttribute("href")?.slice(1) ?? "",
  );

const unfolded = (): string[] =>
  [...window.document.querySelectorAll("nav details details[open] > summary")].map(
    ({ firstChild }) => firstChild?.textContent.trim() ?? "",
  );

const status = (): string => element("#found").textContent;

/** What a reader could know an operation by. */
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
  test("is shown by the script that makes it work", () => {
    open();

    expect(element("#search").hasAttribute("hidden")).toBe(false);
    expect(found()).toHaveLength(few.length);
    expect(status()).toBe("");
  });

  test("finds every operation by its path, its summary and the names of its parameters and fields", () => {
    open(routes);
    const missed = routes.filter((route) => {
      type(wordsOf(route));
      return !found().includes(route.id);
    });

    expect(missed.map(({ id }) => id)).toEqual([]);
  });

  test("takes words in any order and case, and parts of words", () => {
    open();
    type("RUNS  evalu post");

    expect(found()).toEqual([createTraceRun.id, createTraceBatchRun.id]);
    expect(status()).toBe("2 of 6 operations");
  });

  test("unfolds where something was found, and says when nothing was", () => {
    open();
    type("sampling_rate");
    const [inRuns, folded] = [found(), unfolded()];
    type("sampling_rate no such thing");

    expect([inRuns, folded]).toEqual([[createTraceRun.id], ["Runs"]]);
    expect(found()).toEqual([]);
    expect(status()).toBe("0 of 6 operations");
    expect(element("#nothing").hasAttribute("hidden")).toBe(false);
  });

  test("leaves the contents as they were once it is cleared", () => {
    open();
    element("nav details details").setAttribute("open", "");
    const before = unfolded();
    type("runs");
    type("");

    expect(before).toEqual(["Service"]);
    expect(unfolded()).toEqual(before);
    expect(found()).toHaveLength(few.length);
    expect(element("#nothing").hasAttribute("hidden")).toBe(true);
  });
});

describe("the keys", () => {
  test("a slash goes to the field instead of into it", () => {
    open();

    expect(press("/")).toBe(false);
    expect(window.document.activeElement).toBe(field());
    expect(press("/")).toBe(true);
  });

  test.each([{ ctrlKey: true }, { metaKey: true }, { altKey: true }])(
    "%o and a slash are left to the browser",
    (held) => {
      open();

      expect(press("/", held)).toBe(true);
      expect(window.document.activeElement).not.toBe(field());
    },
  );

  test("Escape clears the field and stays in it", () => {
    open();
    press("/");
    type("runs");
    press("Escape");

    expect(field().value).toBe("");
    expect(found()).toHaveLength(few.length);
    expect(window.document.activeElement).toBe(field());
  });

  test("Enter goes to the first operation that was found, and nowhere when none was", () => {
    open();
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
  test("on a phone unfold while something is searched and fold up when it is chosen", () => {
    open(few, phone);
    const before = element("#contents").hasAttribute("open");
    type("health");
    const during = element("#contents").hasAttribute("open");
    press("/");
    press("Enter");

    expect([before, during, element("#contents").hasAttribute("open")]).toEqual([false, true, false]);
  });

  test("mark the operation that the address names, and unfold its resource", () => {
    open();
    window.location.hash = `#${createTrace.id}`;
    window.dispatchEvent(new window.Event("hashchange"));
    const marked = [...window.document.querySelectorAll("[aria-current]")].map((link) => link.getAttribute("href"));

    expect(marked).toEqual([`#${createTrace.id}`]);
    expect(unfolded()).toEqual(["Traces"]);
  });
});
