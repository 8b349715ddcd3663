/** A new entry of the index, with its section where content is given. */
import { type FormEvent, useId, useState } from 'react';
import type { RememberDraft, Remembered } from '../../../../src/index.js';
import { ask } from '../../api.js';
import { Button, Failure } from '../../parts/basics.js';
import { Dialog } from '../../parts/dialog.js';
import { say } from '../../parts/toasts.js';
import { refresh } from '../../queries.js';

type Name = 'trigger' | 'header' | 'description' | 'file' | 'content' | 'under';
const NO_WORDS: Record<Name, string> = {
  trigger: '',
  header: '',
  description: '',
  file: '',
  content: '',
  under: '',
};

const FIELDS: Record<Name, string> = {
  trigger: 'Trigger',
  header: 'Title of its section',
  description: 'Description',
  file: 'Decision file',
  content: 'Text of a new section',
  under: 'Below the section',
};

export function NewEntry({ close }: { close: () => void }) {
  const form = useId();
  const [prefix, setPrefix] = useState<'when' | 'how'>('when');
  const [fields, setFields] = useState(NO_WORDS);
  const [problem, setProblem] = useState<unknown>(null);
  const [isBusy, setBusy] = useState(false);
  const field = (name: Name) => ({
    name,
    dir: 'auto' as const,
    value: fields[name],
    onChange: ({ target: { value } }: { target: { value: string } }) =>
      setFields((now) => ({ ...now, [name]: value })),
  });
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (isBusy) return;
    setBusy(true);
    setProblem(null);
    const { trigger, header, description, ...optional } = fields;
    const given = Object.entries(optional).filter(([, value]) => value.trim() !== '');
    const body: RememberDraft = {
      ...{ prefix, trigger, header, description },
      ...Object.fromEntries(given),
    };
    try {
      const { remembered } = await ask<{ remembered: Remembered }>('/when/remember', { body });
      const { changed, line, file } = remembered;
      say(
        changed ? `Line ${line} of the index leads to it, in ${file}.` : 'It stood there already.',
      );
      void refresh(['when']);
      close();
    } catch (error) {
      setProblem(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog
      title="New entry"
      look="drawer"
      isChanged={Object.values(fields).some((value) => value !== '')}
      close={close}
      foot={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button look="main" type="submit" form={form}>
            Add
          </Button>
        </>
      }
    >
      <form id={form} className="form" onSubmit={(event) => void submit(event)}>
        {problem !== null && <Failure error={problem} labels={FIELDS} />}
        <div className="with-kind">
          <label>
            Kind
            <select
              value={prefix}
              onChange={(event) => setPrefix(event.target.value as 'when' | 'how')}
            >
              <option value="when">/when</option>
              <option value="how">/how</option>
            </select>
          </label>
          <label>
            Trigger
            <input required placeholder="writing mock tests" {...field('trigger')} />
            <span className="help">What one is about to do, in 2 to 5 words.</span>
          </label>
        </div>
        <label>
          Title of its section
          <input required placeholder="Mock Patching" {...field('header')} />
        </label>
        <label>
          Description
          <input required placeholder="patch where it is used" {...field('description')} />
          <span className="help">Words to search for; with trigger and title 8 to 20.</span>
        </label>
        <label>
          Decision file
          <input placeholder="testing.md" {...field('file')} />
          <span className="help">Needed for a new section.</span>
        </label>
        <label>
          Text of a new section, in markdown
          <textarea rows={6} {...field('content')} />
          <span className="help">Leave it empty where the section exists.</span>
        </label>
        <label>
          Below the section
          <input placeholder=".Mocks" {...field('under')} />
          <span className="help">Where the new one is put; at the end of the file when empty.</span>
        </label>
      </form>
    </Dialog>
  );
}
