/** What the project knows: decisions of its `/when` index, and hints about its components. */
import { Tabs } from '@base-ui/react/tabs';
import { goTo } from '../route.js';
import { Decisions } from './knowledge/decisions.js';
import { Hints } from './knowledge/hints.js';

export function Knowledge({ rest: [part] }: { rest: readonly string[] }) {
  const tab = part === 'hints' ? 'hints' : 'decisions';
  return (
    <Tabs.Root
      value={tab}
      onValueChange={(to) => goTo('knowledge', ...(to === 'decisions' ? [] : [String(to)]))}
    >
      <Tabs.List className="tabs">
        <Tabs.Tab value="decisions">Decisions</Tabs.Tab>
        <Tabs.Tab value="hints">Hints</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="decisions">
        <Decisions />
      </Tabs.Panel>
      <Tabs.Panel value="hints">
        <Hints />
      </Tabs.Panel>
    </Tabs.Root>
  );
}
