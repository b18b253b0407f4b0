import { describe, expect, test } from "vitest";
import { errorText } from "../../../../lib/judge/transcript/errors.ts";
import { renderTranscript } from "../../../../lib/judge/transcript/transcript.ts";
import { splitError, withHeadFirst } from "../../../../lib/domain/traces/error-text.ts";
import { span, trace } from "../fixtures.ts";

const packages = "/srv/venv/lib/python3.12/site-packages";
const pythonFrames = (count: number): string =>
  `  File "${packages}/agents/run.py", line 7, in run\n    return await handler()\n           ^^^^^^^^^^^^^^^\n`.repeat(
    count,
  );
const ownFrame = '  File "/srv/app/tools.py", line 12, in lookup\n    raise RuntimeError("upstream 503")\n';
const traceback = (count: number, lastFrame = ownFrame, raised = "RuntimeError: upstream 503"): string =>
  `Traceback (most recent call last):\n${pythonFrames(count)}${lastFrame}${raised}\n`;

const ownPython = ['File "/srv/app/tools.py", line 12, in lookup', '  raise RuntimeError("upstream 503")'];

/** Errors of many languages: the text, its type and message, and the other lines for a judge. */
const errors: readonly (readonly [language: string, text: string, head: string, others: readonly string[]])[] = [
  ["Python", traceback(2), "RuntimeError: upstream 503", [...ownPython, "(2 frames of libraries)"]],
  [
    "Python, from LangSmith",
    `RuntimeError('upstream 503')${traceback(1).replaceAll("\n", "\n\n")}During task 'tools'`,
    "RuntimeError: upstream 503",
    [...ownPython, "During task 'tools'", "(1 frame of libraries)"],
  ],
  [
    "Python, caused by another",
    `${traceback(1, "", "HTTPError: 503")}\nDuring handling of the above exception, another exception occurred:\n\n${traceback(0)}`,
    "RuntimeError: upstream 503",
    [
      "HTTPError: 503",
      "During handling of the above exception, another exception occurred:",
      ...ownPython,
      "(1 frame of libraries)",
    ],
  ],
  [
    "Python, with lines in the message",
    traceback(1, "", "ValidationError: 1 error\ncity\n  Field required"),
    "ValidationError: 1 error\ncity\n  Field required",
    ["(1 frame of libraries)"],
  ],
  [
    "Python, a group",
    `  + Exception Group Traceback (most recent call last):\n  |   File "/usr/lib/python3.12/asyncio/taskgroups.py", line 1, in f\n  |     raise me\n  | ExceptionGroup: errors (1 sub-exception)\n  +-+---------------- 1 ----------------\n    | ${traceback(0).trimEnd().replaceAll("\n", "\n    | ")}\n    +------------------------------------`,
    "RuntimeError: upstream 503",
    ["ExceptionGroup: errors (1 sub-exception)", ...ownPython, "(1 frame of libraries)"],
  ],
  [
    "JavaScript",
    "TypeError: no city\n    at lookup (/app/src/weather.ts:12:9)\n    at run (/app/node_modules/@a/agent/index.js:31:5)\n    at process.processTicksAndRejections (node:internal/process/task_queues:105:5)",
    "TypeError: no city",
    ["at lookup (/app/src/weather.ts:12:9)", "(2 frames of libraries)"],
  ],
  [
    "LangChain.js, which repeats the message",
    "upstream 503\n\nError: upstream 503\n    at lookup (file:///app/agent.mjs:6:37)",
    "Error: upstream 503",
    ["at lookup (file:///app/agent.mjs:6:37)"],
  ],
  [
    "Java",
    "java.lang.IllegalStateException: no answer\n\tat com.shop.Tool.call(Tool.java:31)\n\tat java.base/java.lang.Thread.run(Thread.java:1583)\nCaused by: java.net.SocketTimeoutException: timed out\n\t... 12 more",
    "java.lang.IllegalStateException: no answer",
    [
      "at com.shop.Tool.call(Tool.java:31)",
      "Caused by: java.net.SocketTimeoutException: timed out",
      "(1 frame of libraries)",
    ],
  ],
  [
    ".NET",
    "System.TimeoutException: 30 s\n   at Shop.Weather.GetAsync(String city) in /src/Weather.cs:line 20\n   at System.Threading.Tasks.Task.Execute()",
    "System.TimeoutException: 30 s",
    ["at Shop.Weather.GetAsync(String city) in /src/Weather.cs:line 20", "(1 frame of libraries)"],
  ],
  [
    "Go",
    "panic: index out of range\n\ngoroutine 1 [running]:\nmain.Lookup(0xc000)\n\t/app/agent.go:42 +0x1d\ngithub.com/a/b.Run(...)\n\t/go/pkg/mod/github.com/a/b@v1.2.0/run.go:11",
    "panic: index out of range",
    ["main.Lookup(0xc000) /app/agent.go:42 +0x1d", "(1 frame of libraries)"],
  ],
  [
    "Ruby",
    "app/weather.rb:12:in 'lookup': upstream 503 (RuntimeError)\n\tfrom /var/gems/a-0.19/lib/tool.rb:40:in 'call'\n\tfrom app/agent.rb:5:in 'run'",
    "app/weather.rb:12:in 'lookup': upstream 503 (RuntimeError)",
    ["from app/agent.rb:5:in 'run'", "(1 frame of libraries)"],
  ],
  [
    "PHP",
    "RuntimeException: upstream 503\nStack trace:\n#0 /app/src/Agent.php(31): Weather->lookup('Paris')\n#1 /app/vendor/a/Tool.php(8): call()\n#2 {main}",
    "RuntimeException: upstream 503",
    ["#0 /app/src/Agent.php(31): Weather->lookup('Paris')", "(2 frames of libraries)"],
  ],
  [
    "Rust",
    "thread 'main' panicked at src/main.rs:7:5:\nupstream 503\nstack backtrace:\n   0: rust_begin_unwind\n             at /rustc/90b/library/std/src/panicking.rs:665:5\n   1: agent::lookup\n             at ./src/main.rs:7:5",
    "thread 'main' panicked at src/main.rs:7:5:\nupstream 503",
    ["1: agent::lookup at ./src/main.rs:7:5", "(1 frame of libraries)"],
  ],
];

describe.each(errors)("an error of %s", (_, text, head, others) => {
  test("has type and message before the stack", () => {
    expect(splitError(text).head).toBe(head);
    expect(splitError(withHeadFirst(text)).head).toBe(head);
    expect(withHeadFirst(text).includes(splitError(text).stack)).toBe(true);
  });

  test("is shown to a judge as type, message and the program's own frames", () => {
    expect(errorText(text).split("\n")).toEqual([...head.split("\n"), ...others]);
  });
});

test.each(["Error code: 400", "", traceback(1).slice(0, 150)])(
  "an error without a readable stack stays as it is: %j",
  (text) => {
    expect(withHeadFirst(text)).toBe(text);
  },
);

test("long texts of line breaks, spaces and brackets are split in linear time", () => {
  const start = performance.now();
  for (const part of ["\n", " ", "\n ", "(", "| ", "goroutine 1 [", 'File "', "\n  at"])
    errorText(`${part.repeat(200_000)}\n  at x`);

  expect(performance.now() - start).toBeLessThan(5_000);
});

describe("a failed run in a transcript", () => {
  const error = traceback(60);
  const at = (second: number): string => `2026-03-01T10:00:0${second}+00:00`;
  const failure = { status: "ERROR", error } as const;
  const spans = [
    span("a", { kind: "AGENT", ...failure, started_at: at(1) }),
    span("c", { kind: "CHAIN", parent_span_id: "a", started_at: at(2) }),
    span("t", { kind: "TOOL", name: "lookup", parent_span_id: "c", ...failure, started_at: at(3) }),
  ];
  const render = (input: string, budget: number) => renderTranscript(trace({ status: "ERROR", input, spans }), budget);

  test.each([2_000, 4_000, 60_000])("names the error in its first 2,000 characters at a budget of %i", (budget) => {
    expect(render("question ".repeat(5_000), budget).text.slice(0, 2_000)).toContain(
      'Trace errors:\n #3 TOOL "lookup": RuntimeError: upstream 503\n',
    );
  });

  test("shows the error where it began, and refers to that from the spans around", () => {
    const { text } = render("Rain?", 60_000);

    expect(text).toContain("#1 error:\n RuntimeError: upstream 503 (same as #3)\n");
    expect(text).toContain(
      `#3 error:\n RuntimeError: upstream 503\n ${ownPython.join("\n ")}\n (60 frames of libraries)`,
    );
  });

  test("is covered whole without the frames of libraries", () => {
    expect(render("Rain?", 1_500).coverage.ratio).toBe(1);
  });

  test("names three errors at most, each once", () => {
    const failures = ["a", "b", "b", "c", "d", "e"].map((message, index) =>
      span(`s${index}`, {
        kind: "TOOL",
        name: "lookup",
        status: "ERROR",
        error: `Error: ${message}`,
        started_at: at(index),
      }),
    );
    const { text } = renderTranscript(trace({ spans: failures }), 60_000);

    expect(text).toContain(
      'Trace errors:\n #1 TOOL "lookup": Error: a\n #3 TOOL "lookup": Error: b\n (2 others)\n #6 TOOL "lookup": Error: e\n',
    );
  });
});
