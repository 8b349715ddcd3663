import { Dialog as Base } from '@base-ui/react/dialog';
import { type ReactNode, useEffect } from 'react';
import { Button, catchFocus } from './basics.js';

/** A drawer at the side, or a box in the middle; Escape and a click beside it close it. */
export function Dialog({
  title,
  look = 'box',
  close,
  children,
  foot,
}: {
  title: string;
  look?: 'box' | 'drawer';
  close: () => void;
  children: ReactNode;
  foot?: ReactNode;
}) {
  // What was opened by its address, or has deleted what opened it, has nothing to give the focus back to.
  useEffect(() => catchFocus, []);
  return (
    <Base.Root open onOpenChange={(open) => !open && close()}>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup className={`dialog ${look}`}>
          <div className="dialog-head">
            <Base.Title className="dialog-title">{title}</Base.Title>
            <Base.Close className="button ghost" aria-label="Close">
              ✕
            </Base.Close>
          </div>
          <div className="dialog-body">{children}</div>
          {foot && <div className="dialog-foot">{foot}</div>}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
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
