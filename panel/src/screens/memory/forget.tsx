/** Forgetting: first what would go is shown, then it is done. */
import { useQuery } from '@tanstack/react-query';
import type { ForgetResult, MemoryView } from '../../../../src/index.js';
import { ask } from '../../api.js';
import { counted } from '../../format.js';
import { Failure, Loading } from '../../parts/basics.js';
import { Confirm } from '../../parts/dialog.js';
import { say, sayFailed } from '../../parts/toasts.js';
import { useChange } from '../../queries.js';
import { type Filters, filterBody } from './shapes.js';

/** What one call may name by id. */
const MOST_IDS = 1_000;
const memories = (n: number): string => counted(n, 'memory', 'memories');

export function ForgetMemory({
  memory: { memory_id, id, intent },
  close,
  forgotten,
}: {
  memory: MemoryView;
  close: () => void;
  forgotten: () => void;
}) {
  return (
    <Forget
      request={{ memory_ids: [id] }}
      subject={`${memory_id}: ${intent.goal}`}
      close={close}
      forgotten={forgotten}
    />
  );
}

export function ForgetFound({
  words,
  filters,
  close,
}: {
  words: string;
  filters: Filters;
  close: () => void;
}) {
  const request = { ...(words === '' ? {} : { query: words }), ...filterBody(filters) };
  return (
    <Forget
      request={request}
      {...(words === ''
        ? {}
        : { note: `Only what has every word of “${words}”, not what is merely like it.` })}
      close={close}
      forgotten={close}
    />
  );
}

function Forget({
  request,
  subject,
  note,
  close,
  forgotten,
}: {
  request: object;
  subject?: string;
  note?: string;
  close: () => void;
  forgotten: () => void;
}) {
  const preview = useQuery({
    queryKey: ['forget', request],
    queryFn: ({ signal }) =>
      ask<ForgetResult>('/forget', { body: { ...request, dry_run: true }, signal }),
    gcTime: 0,
  });
  const change = useChange<object>((body) => ({ path: '/forget', body }), ['memories']);
  const found = preview.data;
  const confirm = (): void => {
    if (found === undefined) return;
    // What was shown, and not what has come since.
    const isNamed = found.total <= MOST_IDS;
    const body = isNamed ? { memory_ids: found.memory_ids, missing_ok: true } : request;
    change.mutate(
      { ...body, dry_run: false },
      {
        onSuccess: (result) => {
          say(`Forgot ${memories((result as ForgetResult).total)}.`);
          forgotten();
        },
        onError: sayFailed,
      },
    );
  };
  const isNothing = found === undefined || found.total === 0;
  return (
    <Confirm
      title={subject === undefined ? 'Forget what was found' : 'Forget this memory'}
      action={isNothing ? 'Forget' : `Forget ${memories(found.total)}`}
      isBusy={isNothing || change.isPending}
      confirm={confirm}
      close={close}
      text={
        <>
          {subject !== undefined && (
            <p className="as-written" dir="auto">
              {subject}
            </p>
          )}
          {note !== undefined && <p className="quiet">{note}</p>}
          {preview.error && <Failure error={preview.error} retry={() => void preview.refetch()} />}
          {preview.isPending && <Loading lines={3} />}
          {found !== undefined && <Preview found={found} isOne={subject !== undefined} />}
        </>
      }
    />
  );
}

function Preview({ found, isOne }: { found: ForgetResult; isOne: boolean }) {
  const { total, memories: first, links, chapters, wisdom, kept } = found;
  if (total === 0) return <p>Nothing is like that: nothing would be forgotten.</p>;
  return (
    <div role="status">
      <p className="dry-run">
        This goes for good: <strong>{memories(total)}</strong>
        {links > 0 && `, and ${counted(links, 'link')}`}.
        {chapters + wisdom > 0 &&
          ` Made anew from what remains: ${[
            ...(chapters > 0 ? [counted(chapters, 'chapter')] : []),
            ...(wisdom > 0 ? [`${counted(wisdom, 'piece')} of wisdom`] : []),
          ].join(', ')}.`}
        {kept > 0 && ` ${memories(kept)} that match may not be changed here, and stay.`}
      </p>
      {!isOne && (
        <ul className="would-go" aria-label="What would be forgotten">
          {first.map(({ memory_id, content }) => (
            <li key={memory_id} className="clip" dir="auto">
              {content}
            </li>
          ))}
          {total > first.length && (
            <li className="quiet">… and {memories(total - first.length)} more</li>
          )}
        </ul>
      )}
    </div>
  );
}
