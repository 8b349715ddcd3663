import { Menu as Base } from '@base-ui/react/menu';
import type { ReactNode } from 'react';

export interface MenuEntry {
  name: string;
  act: () => void;
  isDanger?: boolean;
  isDisabled?: boolean;
}

/** What can be done with a thing, behind one button; groups are set apart by a line. */
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
  return (
    <Base.Root>
      <Base.Trigger className="button ghost" aria-label={label}>
        {children}
      </Base.Trigger>
      <Base.Portal>
        <Base.Positioner className="menu-place" align="end" sideOffset={4}>
          <Base.Popup className="menu">
            {groups
              .filter((entries) => entries.length > 0)
              .map((entries) => (
                <Base.Group key={entries[0]?.name} className="menu-group">
                  {entries.map(({ name, act, isDanger = false, isDisabled = false }) => (
                    <Base.Item
                      key={name}
                      className={`menu-item ${isDanger ? 'danger' : ''}`}
                      disabled={isDisabled}
                      onClick={act}
                    >
                      {name}
                    </Base.Item>
                  ))}
                </Base.Group>
              ))}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
