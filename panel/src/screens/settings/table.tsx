/** Every setting, those that somebody has set first. */
import { useState } from 'react';
import { counted } from '../../format.js';
import { Badge, Section } from '../../parts/basics.js';
import type { Setting } from '../../shapes.js';

export function SettingTable({ settings }: { settings: readonly Setting[] }) {
  const [words, setWords] = useState('');
  const sought = words.trim().toLowerCase();
  const shown = settings
    .filter(({ name, description }) => `${name} ${description}`.toLowerCase().includes(sought))
    .toSorted((a, b) => Number(a.isDefault) - Number(b.isDefault));
  const set = settings.filter(({ isDefault }) => !isDefault).length;
  return (
    <Section
      title="Every setting"
      aside={
        <span className="quiet">
          {set === 0 ? 'All as they come' : `${set} of ${counted(settings.length, 'setting')} set`}
        </span>
      }
    >
      <p className="quiet">
        They are read from the environment and from the settings of the character when the agent
        starts.
      </p>
      <search className="filters">
        <label className="grow">
          <span className="unseen">Search in settings</span>
          <input
            type="search"
            placeholder="Search"
            value={words}
            onChange={(event) => setWords(event.target.value)}
          />
        </label>
      </search>
      {shown.length === 0 ? (
        <p className="quiet">No setting is like that.</p>
      ) : (
        <table className="settings">
          <thead>
            <tr>
              <th scope="col">Setting</th>
              <th scope="col">Value</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ name, value, description, isDefault }) => (
              <tr key={name}>
                <th scope="row">
                  <code>{name}</code> {!isDefault && <Badge tone="info">Set</Badge>}
                  <span className="under quiet">{description}</span>
                </th>
                <td>
                  {value === null ? <span className="quiet">Not set</span> : shownValue(value)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Section>
  );
}

function shownValue(value: unknown) {
  if (value === '(hidden)') return <span className="quiet">Hidden</span>;
  return <code>{typeof value === 'string' ? value : JSON.stringify(value)}</code>;
}
