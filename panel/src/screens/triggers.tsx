/** Triggers and their runs: lists, and a drawer over them for the one that the address names. */
import { useState } from 'react';
import { goTo, linkTo } from '../route.js';
import { Compose } from './triggers/compose.js';
import { EditDrawer } from './triggers/edit.js';
import { AllRuns, RunDrawer } from './triggers/runs.js';
import { TriggerTable } from './triggers/table.js';
import { TriggerDrawer } from './triggers/trigger.js';

type Base = 'all' | 'runs';

export function Triggers({ rest }: { rest: readonly string[] }) {
  const [first, second] = rest;
  const isDrawer = first !== undefined && first !== 'new' && first !== 'runs';
  // What was looked at stays below a drawer.
  const [base, setBase] = useState<Base>('all');
  const named: Base = first === 'runs' ? 'runs' : 'all';
  if (!isDrawer && named !== base) setBase(named);
  const close = () => goTo(...(base === 'runs' ? ['triggers', 'runs'] : ['triggers']));
  return (
    <>
      <nav className="tabs" aria-label="Triggers and runs">
        <a href={linkTo('triggers')} aria-current={base === 'all' ? 'page' : undefined}>
          All triggers
        </a>
        <a href={linkTo('triggers', 'runs')} aria-current={base === 'runs' ? 'page' : undefined}>
          All runs
        </a>
      </nav>
      {base === 'runs' ? (
        <AllRuns />
      ) : (
        <>
          <Compose isFirst={first === 'new'} />
          <TriggerTable />
        </>
      )}
      {isDrawer && second === undefined && <TriggerDrawer key={first} id={first} close={close} />}
      {isDrawer && second === 'edit' && <EditDrawer key={first} id={first} />}
      {isDrawer && second !== undefined && second !== 'edit' && (
        <RunDrawer key={second} id={second} close={close} />
      )}
    </>
  );
}
