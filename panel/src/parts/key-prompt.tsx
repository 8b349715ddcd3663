import { type FormEvent, useEffect, useRef, useState } from 'react';
import { ApiError, signIn } from '../api.js';
import { queryClient } from '../queries.js';
import { Button, messageOf } from './basics.js';

/** Asks for the server's key where the host's web UI has not stored one. */
export function KeyPrompt() {
  const [typed, setTyped] = useState('');
  const [problem, setProblem] = useState<string | null>(null);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.focus(), []);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    signIn(typed.trim()).then(
      () => void queryClient.resetQueries(),
      (error: unknown) => {
        const isWrong = error instanceof ApiError && error.isUnauthenticated;
        setProblem(isWrong ? 'This key is wrong.' : messageOf(error));
      },
    );
  };
  return (
    <main className="key-prompt">
      <form onSubmit={submit}>
        <h1>This server asks for a key</h1>
        <p>
          It is the value of <code>ELIZA_SERVER_AUTH_TOKEN</code>. It is kept in this browser, where
          the web UI of Eliza keeps it, too.
        </p>
        <label>
          Key
          <input
            ref={field}
            type="password"
            autoComplete="current-password"
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </label>
        {problem && <p role="alert">{problem}</p>}
        <Button look="main" type="submit" disabled={typed.trim() === ''}>
          Open
        </Button>
      </form>
    </main>
  );
}
