import { useVirtualizer } from '@tanstack/react-virtual';
import {
  type JSX,
  type KeyboardEvent,
  memo,
  type ReactNode,
  useCallback,
  useEffect,
  useRef,
} from 'react';
import { catchFocus } from './basics.js';

interface ListProps<Item> {
  label: string;
  items: readonly Item[];
  /** The same function at each drawing. */
  idOf: (item: Item) => string;
  /** Height of a row before it is measured, in pixels. */
  rowHeight: number;
  children: (item: Item) => ReactNode;
  /** Called near the end of what has come, where there is more. */
  more?: (() => void) | undefined;
  /** Told which items are in view. */
  look?: ((first: number, last: number) => void) | undefined;
  /** A key pressed on a row, besides the arrows. */
  pressed?: (item: Item, event: KeyboardEvent) => void;
}

/** How many rows before the end the next page is asked for: more than a quick scroll passes meanwhile. */
const AHEAD = 100;
/** Of the box, above and below; a short list is no higher than its rows. */
const BORDERS = 2;

interface ContentProps<Item> {
  item: Item;
  draw: (item: Item) => ReactNode;
}

/** Drawn once for as long as it is in view: scrolling draws the list anew with each row that comes. */
const Content = memo(({ item, draw }: ContentProps<unknown>) => draw(item)) as <Item>(
  props: ContentProps<Item>,
) => JSX.Element;

/**
 * A list of any length, of which only the visible rows exist. Arrow keys, Home and End move between the
 * rows; what is in a row is reached by Tab.
 */
export function List<Item>({
  label,
  items,
  idOf,
  rowHeight,
  children,
  more,
  look,
  pressed,
}: ListProps<Item>) {
  const box = useRef<HTMLDivElement>(null);
  // A new function would have every row of the list placed anew, at each row that one scrolls.
  const keyOf = useCallback(
    (index: number) => {
      const item = items[index];
      return item === undefined ? index : idOf(item);
    },
    [items, idOf],
  );
  const rows = useVirtualizer({
    count: items.length,
    getScrollElement: () => box.current,
    estimateSize: () => rowHeight,
    getItemKey: keyOf,
    overscan: 8,
  });
  const visible = rows.getVirtualItems();
  const first = visible[0]?.index ?? 0;
  const last = visible.at(-1)?.index ?? 0;
  const isNearEnd = items.length > 0 && last >= items.length - AHEAD;
  useEffect(() => {
    if (isNearEnd) more?.();
  }, [isNearEnd, more]);
  const told = useRef(look);
  told.current = look;
  useEffect(() => told.current?.(first, last), [first, last]);

  /** The row that has or had the focus last, also within it. */
  const focused = useRef<{ id: string; index: number } | null>(null);
  const focus = (index: number): void => {
    const target = Math.min(items.length - 1, Math.max(0, index));
    rows.scrollToIndex(target);
    requestAnimationFrame(() =>
      box.current?.querySelector<HTMLElement>(`[data-index="${target}"]`)?.focus(),
    );
  };
  // A row that goes while it has the focus hands it to the one in its place, or to the screen.
  useEffect(() => {
    const { id, index } = focused.current ?? {};
    if (index === undefined || items.some((item) => idOf(item) === id)) return;
    focused.current = null;
    if (document.activeElement === document.body) focus(index);
  });
  useEffect(
    () => () => {
      if (focused.current !== null) catchFocus();
    },
    [],
  );
  const steer = (event: KeyboardEvent, index: number): void => {
    if (event.target !== event.currentTarget) return;
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10 }[event.key];
    const target = { Home: 0, End: items.length - 1 }[event.key] ?? index + (step ?? 0);
    if (step !== undefined || event.key === 'Home' || event.key === 'End') {
      event.preventDefault();
      focus(target);
      return;
    }
    const item = items[index];
    if (item !== undefined) pressed?.(item, event);
  };

  return (
    <div ref={box} className="list" style={{ maxHeight: rows.getTotalSize() + BORDERS }}>
      {/* biome-ignore lint/a11y/useSemanticElements: rows of a virtual list are placed by hand */}
      <div role="list" aria-label={label} style={{ height: rows.getTotalSize() }}>
        {visible.map(({ key, index, start }) => {
          const item = items[index];
          if (item === undefined) return null;
          return (
            // biome-ignore lint/a11y/useSemanticElements: see above
            <div
              key={key}
              ref={rows.measureElement}
              role="listitem"
              aria-setsize={more === undefined ? items.length : -1}
              aria-posinset={index + 1}
              // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move between rows
              tabIndex={0}
              data-index={index}
              className="row"
              style={{ transform: `translateY(${start}px)` }}
              onFocus={() => {
                focused.current = { id: idOf(item), index };
              }}
              onBlur={({ relatedTarget }) => {
                if (relatedTarget !== null) focused.current = null;
              }}
              onKeyDown={(event) => steer(event, index)}
            >
              <Content item={item} draw={children} />
            </div>
          );
        })}
      </div>
    </div>
  );
}
