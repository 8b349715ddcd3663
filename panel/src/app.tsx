/** The frame: navigation, connection, and the screen that the address names. */
import { type ComponentType, useEffect } from 'react';
import { ApiError } from './api.js';
import { listen, useConnection } from './live.js';
import { KeyPrompt } from './parts/key-prompt.js';
import { Toasts } from './parts/toasts.js';
import { useAsk } from './queries.js';
import { linkTo, usePlace } from './route.js';
import { Knowledge } from './screens/knowledge.js';
import { Memory } from './screens/memory.js';
import { Offers } from './screens/offers.js';
import { Settings } from './screens/settings.js';
import { Today } from './screens/today.js';
import { Triggers } from './screens/triggers.js';
import type { Health } from './shapes.js';

/** A screen is given what follows its name in the address. */
type Screen = ComponentType<{ rest: readonly string[] }>;

const SCREENS: Readonly<Record<string, { name: string; Screen: Screen }>> = {
  today: { name: 'Today', Screen: Today },
  triggers: { name: 'Triggers', Screen: Triggers },
  memory: { name: 'Memory', Screen: Memory },
  offers: { name: 'Offers', Screen: Offers },
  knowledge: { name: 'Knowledge', Screen: Knowledge },
  settings: { name: 'Settings', Screen: Settings },
};

export function App() {
  const { screen, rest } = usePlace();
  const health = useAsk<Health>('health', '/health', undefined, { everyMs: 30_000 });
  const needsKey = health.error instanceof ApiError && health.error.isUnauthenticated;
  const isKnown = Object.hasOwn(SCREENS, screen);
  const current = isKnown ? screen : 'today';
  const { name, Screen } = SCREENS[current] ?? { name: 'Today', Screen: Today };

  useEffect(() => {
    if (needsKey) return;
    const leaving = new AbortController();
    void listen(leaving.signal);
    return () => leaving.abort();
  }, [needsKey]);
  useEffect(() => {
    // A wrong address is no place to come back to.
    if (!isKnown) location.replace(linkTo('today'));
  }, [isKnown]);
  useEffect(() => {
    document.title = `${name} · Cue`;
  }, [name]);

  if (needsKey) return <KeyPrompt />;
  return (
    <div className="frame">
      <button type="button" className="skip" onClick={() => focusContent()}>
        Skip to the content
      </button>
      <header className="top">
        <span className="brand" aria-hidden="true">
          Cue
        </span>
        <nav aria-label="Screens">
          {Object.entries(SCREENS).map(([word, { name: label }]) => (
            <a key={word} href={linkTo(word)} aria-current={word === current ? 'page' : undefined}>
              {label}
            </a>
          ))}
        </nav>
        <Live />
      </header>
      <main id="content" tabIndex={-1}>
        <h1>{name}</h1>
        <Screen key={current} rest={rest} />
      </main>
      <Toasts />
    </div>
  );
}

/** A link to the place would change the screen, which the same part of the address names. */
function focusContent(): void {
  document.getElementById('content')?.focus();
}

const WORDS = {
  connecting: 'Connecting…',
  live: 'Live',
  lost: 'The server does not answer. What is shown may be old.',
} as const;

function Live() {
  const connection = useConnection();
  return (
    <span className={`live ${connection}`} role="status">
      {WORDS[connection]}
    </span>
  );
}
