import { Dialog as Base } from '@base-ui/react/dialog';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { Button, catchFocus } from './basics.js';

/**
 * A drawer at the side, or a box in the middle; Escape and a click beside it close it, where something is
 * changed and not saved after a question.
 */
export function Dialog({
  title,
  look = 'box',
  isChanged = false,
  close,
  children,
  foot,
}: {
  title: string;
  look?: 'box' | 'drawer';
  isChanged?: boolean;
  close: () => void;
  children: ReactNode;
  foot?: ReactNode;
}) {
  // What was opened by its address, or has deleted what opened it, has nothing to give the focus back to.
  useEffect(() => catchFocus, []);
  const [isAsking, setAsking] = useState(false);
  const body = useRef<HTMLDivElement>(null);
  return (
    <Base.Root open onOpenChange={(open) => !open && (isChanged ? setAsking(true) : close())}>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup
          className={`dialog ${look}`}
          initialFocus={(how) => (how === 'touch' ? null : firstField(body.current))}
        >
          <div className="dialog-head">
            <Base.Title className="dialog-title">{title}</Base.Title>
            <Base.Close className="button ghost" aria-label="Close">
              ✕
            </Base.Close>
          </div>
          <div ref={body} className="dialog-body">
            {children}
          </div>
          {foot && <div className="dialog-foot">{foot}</div>}
        </Base.Popup>
      </Base.Portal>
      {isAsking && (
        <Confirm
          title="Discard changes?"
          text={<p>What you changed here is not saved.</p>}
          action="Discard"
          confirm={close}
          close={() => setAsking(false)}
        />
      )}
    </Base.Root>
  );
}

/** Where one types; `null`: there is nothing to type. */
export function firstField(within: HTMLElement | null): HTMLElement | null {
  return within?.querySelector<HTMLElement>('input, textarea, select') ?? null;
}

/** Asks before something that cannot be undone. */
export function Confirm({
  title,
  text,
  action,
  isBusy = false,
  confirm,
  close,
}: {
  title: string;
  text: ReactNode;
  action: string;
  isBusy?: boolean;
  confirm: () => void;
  close: () => void;
}) {
  return (
    <Dialog
      title={title}
      close={close}
      foot={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button look="danger" disabled={isBusy} onClick={confirm}>
            {action}
          </Button>
        </>
      }
    >
      {text}
    </Dialog>
  );
}
