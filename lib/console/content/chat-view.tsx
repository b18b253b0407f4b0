import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Json, JsonObject } from "../../domain/json.ts";
import { plural, truncateWithEllipsis } from "../format.ts";
import { contentParts, contentText, type Chat, type ChatMessage, type ModelCall, type MessageCall } from "./chat.ts";
import { Content, Text } from "./content.tsx";
import { JsonTree } from "./json-tree.tsx";
import { PartsView } from "./parts-view.tsx";
import { offeredTools } from "./tools.ts";

/** Messages shown at first: the last ones, as a request repeats the conversation so far. */
const initialMessages = 30;

/** Length from which on a system message is folded. */
const maxUnfoldedLength = 400;

/** Max tools of a request that are listed. */
const maxTools = 200;

const titles: Readonly<Record<string, string>> = {
  system: "System",
  developer: "Developer",
  user: "User",
  assistant: "Model",
  tool: "Tool",
};

const Call = ({ call }: { readonly call: MessageCall }) => (
  <section class="call" aria-label={`Call of ${call.name}`}>
    <h4>
      <span class="kind tool">call</span> <span dir="auto">{call.name}</span>
    </h4>
    <Content value={call.arguments} />
    {call.result === undefined ? (
      <p class="faint">No result in this conversation</p>
    ) : (
      <>
        <h4 class="faint">Result</h4>
        <Content value={call.result} />
      </>
    )}
  </section>
);

const Message = ({ message }: { readonly message: ChatMessage }) => {
  const { role, name, reasoning, content, calls } = message;
  const isSystem = role === "system" || role === "developer";
  const text = isSystem ? contentText(content) : "";
  return (
    <article class={`message ${role}`}>
      <h4>
        {titles[role] ?? role} {name !== null && <span dir="auto">{name}</span>}
      </h4>
      {reasoning !== null && (
        <details>
          <summary class="faint">Reasoning</summary>
          <Text text={reasoning} />
        </details>
      )}
      {text.length > maxUnfoldedLength ? (
        <details>
          <summary class="faint">{truncateWithEllipsis(text.replaceAll(/\s+/gu, " "), 120)}</summary>
          <PartsView parts={contentParts(content)} />
        </details>
      ) : (
        <PartsView parts={contentParts(content)} />
      )}
      {calls.map((call) => (
        <Call call={call} />
      ))}
    </article>
  );
};

interface SearchedChat extends Pick<Chat, "messages"> {
  /** Text of the search: the first message that contains it is scrolled into view. */
  readonly find: string;
}

/** Returns the index of the first message that contains a text, ignoring case; -1 for none and for an empty text. */
const indexOfText = ({ messages, find }: SearchedChat): number => {
  const needle = JSON.stringify(find.trim().toLowerCase()).slice(1, -1);
  return needle === ""
    ? -1
    : messages.findIndex((message) => JSON.stringify(Object.values(message)).toLowerCase().includes(needle));
};

const Messages = ({ messages, find }: SearchedChat) => {
  const maxMessages = useSignal(initialMessages);
  const list = useRef<HTMLDivElement>(null);
  const match = useMemo(() => indexOfText({ messages, find }), [messages, find]);
  const unfoldedFrom = Math.max(0, messages.length - maxMessages.value);
  const hiddenCount = match < 0 ? unfoldedFrom : Math.min(unfoldedFrom, match);
  useEffect(() => {
    if (match >= 0)
      list.current?.querySelectorAll(":scope > .message")[match - hiddenCount]?.scrollIntoView({ block: "nearest" });
  }, [messages[match]]);
  return (
    <div class="chat" ref={list}>
      {hiddenCount > 0 && (
        <button type="button" class="quiet" onClick={() => (maxMessages.value = messages.length - hiddenCount + 100)}>
          {plural(hiddenCount, "earlier message")}
        </button>
      )}
      {messages.length === 0 && <p class="faint">None</p>}
      {messages.slice(hiddenCount).map((message, index) => (
        <Message key={index + hiddenCount} message={message} />
      ))}
    </div>
  );
};

/** Messages of an input or output, and the entries beside them as a tree. */
export const ChatView = ({ chat: { messages, others }, find }: { readonly chat: Chat; readonly find: string }) => (
  <>
    <Messages messages={messages} find={find} />
    {Object.keys(others).length > 0 && <JsonTree value={others} />}
  </>
);

/** Conversation of a model call: the messages that the model received, then those that it wrote. */
export const ModelCallView = ({ call, find }: { readonly call: ModelCall; readonly find: string }) => {
  const [request, answer] = useMemo(
    () => [call.messages.slice(0, call.reply), call.messages.slice(call.reply)],
    [call],
  );
  return (
    <>
      <h3>Input</h3>
      <Messages messages={request} find={find} />
      <h3>Output</h3>
      <Messages messages={answer} find={find} />
    </>
  );
};

/** Tools that a model call was offered, folded. */
const OfferedTools = ({ value }: { readonly value: Json | undefined }) => {
  const tools = offeredTools(value);
  if (tools.length === 0) return null;
  return (
    <details class="tools-offered">
      <summary>{plural(tools.length, "offered tool")}</summary>
      <ul>
        {tools.slice(0, maxTools).map(({ name, description, parameters }) => (
          <li>
            <details>
              <summary>
                <b dir="auto">{name}</b>{" "}
                <span class="faint">{truncateWithEllipsis(description.replaceAll(/\s+/gu, " "), 100)}</span>
              </summary>
              {description !== "" && <Text text={description} />}
              {parameters !== null && <JsonTree value={parameters} />}
            </details>
          </li>
        ))}
        {tools.length > maxTools && <li class="faint">{tools.length - maxTools} more</li>}
      </ul>
    </details>
  );
};

/** Parameters of a model call, such as the temperature, and the tools that it offered. */
export const ModelParameters = ({ parameters }: { readonly parameters: JsonObject }) => {
  const { tools, functions, ...settings } = parameters;
  const entries = Object.entries(settings).filter(([, value]) => value !== null);
  const simple = entries.filter(
    ([, value]) => typeof value !== "object" && (typeof value !== "string" || value.length < 100),
  );
  const others = entries.filter((entry) => !simple.includes(entry));
  return (
    <>
      {entries.length > 0 && (
        <details open={others.length === 0}>
          <summary>Parameters</summary>
          <dl class="settings">
            {simple.map(([name, value]) => (
              <div>
                <dt dir="auto">{name}</dt>
                <dd dir="auto">{typeof value === "string" ? value : JSON.stringify(value)}</dd>
              </div>
            ))}
          </dl>
          {others.length > 0 && <JsonTree value={Object.fromEntries(others)} />}
        </details>
      )}
      <OfferedTools value={tools ?? functions} />
    </>
  );
};
