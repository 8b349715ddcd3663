/** A trigger out of a sentence. */
import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { TriggerSummary } from '../../../../src/index.js';
import { ApiError, ask } from '../../api.js';
import { Button, messageOf, Section } from '../../parts/basics.js';
import { say } from '../../parts/toasts.js';
import { refresh } from '../../queries.js';
import { linkTo } from '../../route.js';
import { short } from './actions.js';
import { ReadingText, useReading, viewerZone } from './preview.js';

const EXAMPLES = [
  'every friday at 5pm remind me to write the report',
  'in 2 hours check the build',
  'on the 1st of every month at 8:00 sum up what was done',
];

/** With `isFirst` the field is where one types at once. */
export function Compose({ isFirst }: { isFirst: boolean }) {
  const zone = viewerZone();
  const [text, setText] = useState('');
  const [instructions, setInstructions] = useState('');
  const [refusal, setRefusal] = useState<unknown>(null);
  const [isBusy, setIsBusy] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const reading = useReading(text, zone);
  const preview = reading?.text === text.trim() ? reading.preview : undefined;
  const saysOnlyWhen = reading?.preview !== undefined && reading.preview.instructions === undefined;

  useEffect(() => {
    if (isFirst) field.current?.focus();
  }, [isFirst]);

  const write = (typed: string): void => {
    setText(typed);
    setRefusal(null);
  };
  const create = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    setIsBusy(true);
    try {
      const body = { text, timezone: zone, ...(saysOnlyWhen ? { instructions } : {}) };
      const { trigger } = await ask<{ trigger: TriggerSummary }>('/triggers', { body });
      write('');
      setInstructions('');
      field.current?.focus();
      say(`Created “${short(trigger.displayName)}”`, {
        text: trigger.scheduleText,
        link: { name: 'Open', href: linkTo('triggers', trigger.id) },
      });
    } catch (error) {
      setRefusal(error);
    } finally {
      setIsBusy(false);
      await refresh(['triggers']);
    }
  };

  return (
    <Section title="New trigger">
      <form className="compose" onSubmit={(event) => void create(event)}>
        <label htmlFor="compose-text">When, and what to do</label>
        <div className="compose-line">
          <input
            ref={field}
            id="compose-text"
            value={text}
            placeholder="every friday at 5pm remind me to write the report"
            autoComplete="off"
            aria-describedby="compose-reading"
            aria-invalid={reading?.problem !== undefined}
            onChange={(event) => write(event.target.value)}
          />
          <Button
            look="main"
            type="submit"
            disabled={
              isBusy || preview === undefined || (saysOnlyWhen && instructions.trim() === '')
            }
          >
            Create
          </Button>
        </div>
        {saysOnlyWhen && (
          <label>
            What to do
            <input
              value={instructions}
              autoComplete="off"
              placeholder="remind me to write the report"
              onChange={(event) => {
                setInstructions(event.target.value);
                setRefusal(null);
              }}
            />
          </label>
        )}
        {text === '' ? (
          <p className="examples">
            <span className="quiet">Try</span>
            {EXAMPLES.map((example) => (
              <button
                key={example}
                type="button"
                className="example"
                onClick={() => {
                  write(example);
                  field.current?.focus();
                }}
              >
                {example}
              </button>
            ))}
          </p>
        ) : (
          <ReadingText id="compose-reading" reading={reading} typed={text} />
        )}
        {refusal !== null && <Refusal error={refusal} />}
      </form>
    </Section>
  );
}

function Refusal({ error }: { error: unknown }) {
  const existingId = error instanceof ApiError ? error.existingId : undefined;
  return (
    <p className="problem" role="alert">
      {existingId === undefined ? (
        messageOf(error)
      ) : (
        <>
          This trigger exists already. <a href={linkTo('triggers', existingId)}>Open it</a>
        </>
      )}
    </p>
  );
}
