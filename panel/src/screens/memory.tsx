/** What the agent remembers: found as one types, read whole, changed, forgotten. */
import { useState } from 'react';
import { ask } from '../api.js';
import { Button } from '../parts/basics.js';
import { actWithUndo } from '../parts/toasts.js';
import { refresh } from '../queries.js';
import { goTo } from '../route.js';
import { MemoryDrawer } from './memory/drawer.js';
import { ForgetFound } from './memory/forget.js';
import { MemoryList } from './memory/results.js';
import { FilterBar, SearchField, useLater } from './memory/search.js';
import { type Filters, NO_FILTERS, type Row } from './memory/shapes.js';

/** How long a pause in typing is. */
const PAUSE_MS = 250;

/** What an offer prints; forgetting goes by words and filters only. */
const REFERENCE =
  /^(?:recall\s*\(|mem_|(?:file|intent|pattern|session|task|task_type|type|agent|tag|query):)/i;

export function Memory({ rest: [opened] }: { rest: readonly string[] }) {
  const [typed, setTyped] = useState('');
  const [filters, setFilters] = useState<Filters>(NO_FILTERS);
  const [isForgetting, setForgetting] = useState(false);
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const words = useLater(typed.trim(), PAUSE_MS);

  const look = (text: string, wanted: Partial<Filters> = {}): void => {
    setTyped(text);
    setFilters({ ...NO_FILTERS, ...wanted });
    goTo('memory');
  };
  const show = (id: string, isShown: boolean): void => {
    setHidden((now) => {
      const next = new Set(now);
      if (isShown) next.delete(id);
      else next.add(id);
      return next;
    });
  };
  const forgetNoise = ({ id, title }: Row): void => {
    show(id, false);
    actWithUndo(
      `Forgot “${title.slice(0, 60)}”`,
      async () => {
        await ask(`/memories/${encodeURIComponent(id)}`, { method: 'DELETE' });
        await refresh(['memories']);
      },
      () => show(id, true),
    );
  };
  const isNarrowed = words !== '' || filters !== NO_FILTERS;

  return (
    <div className="memory-screen">
      <SearchField value={typed} change={setTyped} />
      <FilterBar filters={filters} change={setFilters}>
        {isNarrowed && !REFERENCE.test(words) && (
          <Button className="small" onClick={() => setForgetting(true)}>
            Forget what was found…
          </Button>
        )}
      </FilterBar>
      <MemoryList
        words={words}
        filters={filters}
        hidden={hidden}
        forget={forgetNoise}
        all={() => look('')}
      />
      {opened !== undefined && (
        <MemoryDrawer key={opened} id={opened} look={look} close={() => goTo('memory')} />
      )}
      {isForgetting && (
        <ForgetFound words={words} filters={filters} close={() => setForgetting(false)} />
      )}
    </div>
  );
}
