/** A new hint, or another value for one that is there. */
import { type FormEvent, useId, useState } from 'react';
import type { Hint } from '../../../../src/index.js';
import { ApiError } from '../../api.js';
import { Button, Failure } from '../../parts/basics.js';
import { Dialog } from '../../parts/dialog.js';
import { say } from '../../parts/toasts.js';
import { refresh } from '../../queries.js';
import { wordsOf } from '../memory/shapes.js';
import { callRpc, type Scope, SECRET, type StoredHint, valueText } from './hint-store.js';

type Kind = 'text' | 'command' | 'path' | 'json' | 'template';
type Value = Hint['value'];

const KINDS: Record<Exclude<Kind, 'template'>, string> = {
  text: 'Text',
  command: 'Command',
  path: 'Path',
  json: 'JSON',
};
const LIVES: readonly (readonly [string, string])[] = [
  ['P100Y', 'For good'],
  ['P30D', '30 days'],
  ['P1D', 'A day'],
  ['PT2H', '2 hours'],
  ['session', 'Until the server ends'],
];
const SYSTEMS = ['linux', 'darwin', 'windows'] as const;
const LISTS: readonly (readonly ['branch' | 'repo' | 'cwd_glob', string, string])[] = [
  ['branch', 'Branches', 'main, hotfix/*'],
  ['repo', 'Repository', 'github.com/acme/shop'],
  ['cwd_glob', 'Folders', '**/web'],
];

function fieldsOf(stored: StoredHint | null) {
  const { value = '', meta = {} } = stored?.hint ?? {};
  const { ttl = 'P100Y', tags = [], reason = '', scope = {} } = meta;
  const kind: Kind = typeof value === 'string' ? 'text' : value.type;
  return {
    ...{ component: stored?.component ?? '', key: stored?.key ?? '' },
    ...{ kind, value: valueText(value), ttl, tags: tags.join(', '), reason },
    ...{ branch: listed(scope.branch), repo: listed(scope.repo), cwd_glob: listed(scope.cwd_glob) },
    os: scope.os ?? [],
  };
}

const listed = (values: string | string[] = []): string => [values].flat().join(', ');

/** @throws SyntaxError when it is to be JSON and is not */
function typedValue(kind: Kind, text: string, before: Value | undefined): Value {
  const old = Object(typeof before === 'object' && before.type === kind ? before : {});
  switch (kind) {
    case 'text':
      return text;
    case 'command':
      return { ...old, type: 'command', cmd: text };
    case 'path':
      return { ...old, type: 'path', abs: text };
    case 'template':
      return { ...old, type: 'template', body: text };
    case 'json':
      return { type: 'json', data: JSON.parse(text) };
  }
}

export function HintForm({ hint: stored, close }: { hint: StoredHint | null; close: () => void }) {
  const form = useId();
  const [before] = useState(() => fieldsOf(stored));
  const [fields, setFields] = useState(before);
  const [problem, setProblem] = useState<unknown>(null);
  const [isSecret, setSecret] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const set = (changed: Partial<typeof fields>): void =>
    setFields((now) => ({ ...now, ...changed }));
  const looksSecret = problem instanceof ApiError && problem.code === SECRET;

  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setProblem(null);
    try {
      await save();
      say(stored === null ? 'The hint is set.' : 'Saved.');
      void refresh(['hints']);
      close();
    } catch (error) {
      setProblem(error instanceof SyntaxError ? new Error('This is no valid JSON.') : error);
    } finally {
      setBusy(false);
    }
  };
  const save = async (): Promise<void> => {
    const { component, key, kind, value, ttl, tags, reason, os } = fields;
    const { branch: _1, repo: _2, cwd_glob: _3, os: _4, ...kept } = stored?.hint.meta.scope ?? {};
    const lists = LISTS.flatMap(([name]) => {
      const values = wordsOf(fields[name]);
      return values.length === 0 ? [] : [[name, values]];
    });
    const scope: Scope = {
      ...kept,
      ...Object.fromEntries(lists),
      ...(os.length > 0 ? { os } : {}),
    };
    const { reason: _5, tags: _6, scope: _7, sensitivity: _8, ...meta } = stored?.hint.meta ?? {};
    await callRpc('set_hint', {
      ...{ component, key, value: typedValue(kind, value, stored?.hint.value) },
      meta: {
        ...{ ...meta, ttl, scope, tags: wordsOf(tags) },
        ...(reason.trim() === '' ? {} : { reason }),
        ...(stored === null ? { source: 'user' } : {}),
      },
      ...(isSecret ? { allow_secret: true } : {}),
    });
    const heldIn = stored?.hint.meta.scope ?? {};
    if (stored === null || JSON.stringify(heldIn) === JSON.stringify(scope)) return;
    // Where it holds is part of what it is: the one of before stays otherwise.
    await callRpc('delete_hint', { component, key, scope: heldIn });
  };

  return (
    <Dialog
      title={stored === null ? 'New hint' : `Edit ${stored.component}/${stored.key}`}
      look="drawer"
      isChanged={JSON.stringify(fields) !== JSON.stringify(before)}
      close={close}
      foot={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button look="main" type="submit" form={form}>
            {stored === null ? 'Set hint' : 'Save'}
          </Button>
        </>
      }
    >
      <form id={form} className="form" onSubmit={(event) => void submit(event)}>
        {problem !== null && <Failure error={problem} />}
        {(looksSecret || isSecret) && (
          <label className="check">
            <input
              type="checkbox"
              checked={isSecret}
              onChange={(event) => setSecret(event.target.checked)}
            />
            It is no secret, or may be kept all the same
          </label>
        )}
        {stored === null && (
          <div className="side-by-side">
            <label>
              Component
              <input
                required
                dir="auto"
                placeholder="web"
                value={fields.component}
                onChange={(event) => set({ component: event.target.value })}
              />
            </label>
            <label>
              Key
              <input
                required
                dir="auto"
                placeholder="build"
                value={fields.key}
                onChange={(event) => set({ key: event.target.value })}
              />
            </label>
          </div>
        )}
        <label>
          Value
          <textarea
            required
            dir="auto"
            rows={3}
            className="code"
            placeholder="npm run build"
            value={fields.value}
            onChange={(event) => set({ value: event.target.value })}
          />
        </label>
        <div className="side-by-side">
          <label>
            Kind
            <select
              value={fields.kind}
              onChange={(event) => set({ kind: event.target.value as Kind })}
            >
              {Object.entries(KINDS).map(([kind, name]) => (
                <option key={kind} value={kind}>
                  {name}
                </option>
              ))}
              {fields.kind === 'template' && <option value="template">Template</option>}
            </select>
          </label>
          <label>
            Kept
            <select value={fields.ttl} onChange={(event) => set({ ttl: event.target.value })}>
              {LIVES.map(([ttl, name]) => (
                <option key={ttl} value={ttl}>
                  {name}
                </option>
              ))}
              {!LIVES.some(([ttl]) => ttl === fields.ttl) && (
                <option value={fields.ttl}>{fields.ttl}</option>
              )}
            </select>
          </label>
        </div>
        <label>
          Tags, between commas
          <input
            dir="auto"
            value={fields.tags}
            onChange={(event) => set({ tags: event.target.value })}
          />
        </label>
        <label>
          Reason
          <input
            dir="auto"
            value={fields.reason}
            onChange={(event) => set({ reason: event.target.value })}
          />
        </label>
        <fieldset className="boxed">
          <legend>Holds only in</legend>
          {LISTS.map(([name, label, example]) => (
            <label key={name}>
              {label}
              <input
                placeholder={example}
                value={fields[name]}
                onChange={(event) => set({ [name]: event.target.value })}
              />
            </label>
          ))}
          <div className="choice">
            {SYSTEMS.map((system) => (
              <label key={system} className="check">
                <input
                  type="checkbox"
                  checked={fields.os.includes(system)}
                  onChange={({ target: { checked } }) =>
                    set({
                      os: SYSTEMS.filter((one) =>
                        one === system ? checked : fields.os.includes(one),
                      ),
                    })
                  }
                />
                {system}
              </label>
            ))}
          </div>
          <p className="help">Nothing filled in: everywhere.</p>
        </fieldset>
      </form>
    </Dialog>
  );
}
