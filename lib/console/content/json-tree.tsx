import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Json } from "../../domain/json.ts";
import { plural } from "../format.ts";
import { CopyButton } from "../parts/copy-button.tsx";
import { isBitmapUrl, StoredImage, TextWithMedia } from "./images.tsx";
import { countValues, entriesOf, maxLevels, pathOf, searchTree, treeValue } from "./json.ts";

/** Characters of a text, and entries of a list or object, that are rendered at first. */
const [initialCharacters, initialEntries] = [600, 60];

/** Max values of a tree that is unfolded at first. */
const maxUnfolded = 60;

/** Min values of a tree with a search field. */
const minSearchable = 12;

const Leaf = ({ value }: { readonly value: Json }) => {
  const maxCharacters = useSignal(initialCharacters);
  if (typeof value !== "string") return <span class="literal">{JSON.stringify(value)}</span>;
  if (value.startsWith("data:image/") && isBitmapUrl(value)) return <StoredImage url={value} title="" />;
  return (
    <>
      <span class="string" dir="auto">
        <TextWithMedia text={value.slice(0, maxCharacters.value)} />
      </span>
      {value.length > maxCharacters.value && (
        <button type="button" class="quiet" onClick={() => (maxCharacters.value *= 16)}>
          {plural(value.length - maxCharacters.value, "more character")}
        </button>
      )}
    </>
  );
};

const Node = ({
  name,
  value: storedValue,
  path,
  textDepth: outerTextDepth,
  level,
  isUnfolded,
  target,
}: {
  readonly name: string | null;
  readonly value: Json;
  readonly path: string;
  readonly textDepth: number;
  readonly level: number;
  readonly isUnfolded: boolean;
  /** Path of the value that a search has found. */
  readonly target: string | null;
}) => {
  const { value, textDepth, isText } = useMemo(
    () => treeValue(storedValue, outerTextDepth),
    [storedValue, outerTextDepth],
  );
  const isOpen = useSignal(level === 0 || isUnfolded);
  const maxEntries = useSignal(initialEntries);
  const row = useRef<HTMLElement>(null);
  const refRow = (element: HTMLElement | null): void => {
    row.current = element;
  };
  const isTarget = target === path;
  useEffect(() => {
    if (isTarget) row.current?.scrollIntoView({ block: "nearest" });
  }, [isTarget]);
  const entries = useMemo(() => entriesOf(value), [value]);
  const label = name !== null && (
    <span class="entry-name" dir="auto">
      {name}
      {": "}
    </span>
  );
  const mark = isTarget ? "target" : "";
  if (entries === null || entries.length === 0 || level > maxLevels)
    return (
      <li class={mark} ref={refRow}>
        {label}
        {entries === null ? (
          <Leaf value={value} />
        ) : (
          <span class="faint">
            {entries.length === 0 ? (Array.isArray(value) ? "[ ]" : "{ }") : "nested too deeply"}
          </span>
        )}
      </li>
    );
  const isInside = target?.startsWith(`${path}/`) === true;
  if (isInside) {
    const at = entries.findIndex(([key]) => `${target}/`.startsWith(`${pathOf(path, key)}/`));
    if (at >= maxEntries.peek()) maxEntries.value = at + 1;
    if (!isOpen.peek()) isOpen.value = true;
  }
  const isList = Array.isArray(value);
  return (
    <li>
      <details open={isOpen} onToggle={({ currentTarget: { open } }) => (isOpen.value = open)}>
        <summary class={mark} ref={refRow}>
          {label}
          <span class="faint">
            {isList ? `[ ${entries.length} ]` : `{ ${entries.length} }`}
            {isText && " JSON text"}
          </span>
        </summary>
        {isOpen.value && (
          <ul>
            {entries.slice(0, maxEntries.value).map(([key, child]) => (
              <Node
                key={key}
                name={key}
                value={child}
                path={pathOf(path, key)}
                textDepth={textDepth}
                level={level + 1}
                isUnfolded={isUnfolded}
                target={target}
              />
            ))}
            {entries.length > maxEntries.value && (
              <li>
                <button type="button" class="quiet" onClick={() => (maxEntries.value *= 4)}>
                  {entries.length - maxEntries.value} more
                </button>
              </li>
            )}
          </ul>
        )}
      </details>
    </li>
  );
};

const SearchField = ({ root, onTarget }: { readonly root: Json; readonly onTarget: (path: string | null) => void }) => {
  const [text, index] = [useSignal(""), useSignal(0)];
  const matches = useMemo(() => (text.value === "" ? null : searchTree(root, text.value)), [root, text.value]);
  const count = matches?.paths.length ?? 0;
  const moveTo = (next: number): void => {
    index.value = next;
    onTarget(matches?.paths[next] ?? null);
  };
  useEffect(() => moveTo(0), [matches]);
  return (
    <>
      <input
        type="search"
        placeholder="Search the data"
        aria-label="Search the data"
        value={text}
        onInput={({ currentTarget: { value } }) => (text.value = value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          if (count > 0) moveTo((index.value + (event.shiftKey ? -1 : 1) + count) % count);
        }}
      />
      {matches !== null && (
        <span class="faint" aria-live="polite">
          {count === 0 ? "no match" : `${index.value + 1} of ${count}`}
          {!matches.isComplete && ", more not searched"}
        </span>
      )}
    </>
  );
};

/** JSON as a tree that folds, with search and a copy button. Only unfolded values are rendered. */
export const JsonTree = ({ value }: { readonly value: Json }) => {
  const size = useMemo(() => countValues(value, maxUnfolded + 1), [value]);
  const target = useSignal<string | null>(null);
  return (
    <div class="json">
      <p class="buttons">
        {size >= minSearchable && <SearchField root={value} onTarget={(path) => (target.value = path)} />}
        <CopyButton text={() => (typeof value === "string" ? value : JSON.stringify(value, null, 2))}>Copy</CopyButton>
      </p>
      <ul class="data tree">
        <Node
          name={null}
          value={value}
          path=""
          textDepth={0}
          level={0}
          isUnfolded={size <= maxUnfolded}
          target={target.value}
        />
      </ul>
    </div>
  );
};
