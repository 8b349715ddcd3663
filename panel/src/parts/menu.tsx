import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react';

export interface MenuEntry {
  name: string;
  act: () => void;
  isDanger?: boolean;
  isDisabled?: boolean;
}

const GAP = 4;
const EDGE = 8;

/**
 * What can be done with a thing, behind one button; groups are set apart by a line. The browser's own
 * popover: the menu of the component set would be a fifth of the whole panel.
 */
export function Menu({
  label,
  groups,
  children = '⋯',
}: {
  /** Names the button for those who do not see it. */
  label: string;
  groups: readonly (readonly MenuEntry[])[];
  children?: ReactNode;
}) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const popup = useRef<HTMLDivElement>(null);
  const [isOpen, setIsOpen] = useState(false);

  const place = (): void => {
    const from = button.current?.getBoundingClientRect();
    const menu = popup.current;
    if (from === undefined || menu === null) return;
    const below = from.bottom + GAP;
    const fits = below + menu.offsetHeight + EDGE <= innerHeight;
    menu.style.top = `${fits ? below : Math.max(EDGE, from.top - GAP - menu.offsetHeight)}px`;
    const edge = menu.closest('[role="dialog"]')?.getBoundingClientRect().left ?? 0;
    const fromRight = from.right - menu.offsetWidth;
    const left = fromRight >= edge + EDGE ? fromRight : from.left;
    menu.style.left = `${Math.max(EDGE, Math.min(left, innerWidth - EDGE - menu.offsetWidth))}px`;
    itemsOf(menu)[0]?.focus();
  };
  const close = (): void => {
    popup.current?.hidePopover();
    button.current?.focus();
  };
  const steer = (event: KeyboardEvent): void => {
    if (event.key === 'Tab') {
      close();
      return;
    }
    const items = popup.current === null ? [] : itemsOf(popup.current);
    const at = items.findIndex((item) => item.matches(':focus'));
    const target = {
      ArrowDown: (at + 1) % items.length,
      ArrowUp: (at - 1 + items.length) % items.length,
      Home: 0,
      End: items.length - 1,
    }[event.key];
    if (target === undefined && event.key !== 'Escape') return;
    event.preventDefault();
    // A drawer around it would close as well.
    event.stopPropagation();
    if (target === undefined) close();
    else items[target]?.focus();
  };

  return (
    <>
      <button
        ref={button}
        type="button"
        className="button ghost"
        aria-label={label}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        popoverTarget={id}
      >
        {children}
      </button>
      <div
        ref={popup}
        id={id}
        popover="auto"
        className="menu"
        role="menu"
        aria-label={label}
        tabIndex={-1}
        onKeyDown={steer}
        onBeforeToggle={({ newState }) => {
          setIsOpen(newState === 'open');
          if (newState === 'open') requestAnimationFrame(place);
        }}
      >
        {/* Of the menus of a long list hardly one is opened. */}
        {(isOpen ? groups : []).map((entries) => (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset belongs to a form
          <div key={entries[0]?.name} role="group" className="menu-group">
            {entries.map(({ name, act, isDanger = false, isDisabled = false }) => (
              <button
                key={name}
                type="button"
                role="menuitem"
                className={`menu-item ${isDanger ? 'danger' : ''}`}
                disabled={isDisabled}
                onClick={() => {
                  close();
                  act();
                }}
              >
                {name}
              </button>
            ))}
          </div>
        ))}
      </div>
    </>
  );
}

function itemsOf(menu: HTMLElement): HTMLButtonElement[] {
  return [...menu.querySelectorAll<HTMLButtonElement>('[role="menuitem"]:enabled')];
}
