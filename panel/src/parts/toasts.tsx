/** Short messages at the edge of the page, some with a way back. */
import { Toast } from '@base-ui/react/toast';
import { messageOf } from './basics.js';

const manager = Toast.createToastManager();

interface Saying {
  /** A second line, such as an answer. */
  text?: string;
  /** Where more of it stands. */
  link?: { name: string; href: string };
  /** Stays until it is closed or followed. */
  stays?: boolean;
}

export function say(title: string, { text, link, stays = false }: Saying = {}): void {
  const id = manager.add({
    title,
    ...(text === undefined ? {} : { description: text }),
    ...(stays ? { timeout: 0 } : {}),
    ...(link === undefined
      ? {}
      : {
          actionProps: {
            children: link.name,
            onClick() {
              location.href = link.href;
              manager.close(id);
            },
          },
        }),
  });
}

export function sayFailed(error: unknown): void {
  manager.add({ title: messageOf(error), type: 'error', priority: 'high' });
}

/** How long something that can be undone is held back. */
const UNDO_MS = 8_000;

/**
 * Does `act` when the time to undo it is over, or at once when the page is left. What shows the thing
 * hides it meanwhile; `undone` shows it again.
 */
export function actWithUndo(title: string, act: () => Promise<unknown>, undone: () => void): void {
  let isOver = false;
  const finish = (): void => {
    if (isOver) return;
    isOver = true;
    removeEventListener('pagehide', finish);
    act().catch((error: unknown) => {
      undone();
      sayFailed(error);
    });
  };
  addEventListener('pagehide', finish);
  const id = manager.add({
    title,
    timeout: UNDO_MS,
    onClose: finish,
    actionProps: {
      children: 'Undo',
      onClick() {
        isOver = true;
        removeEventListener('pagehide', finish);
        undone();
        manager.close(id);
      },
    },
  });
}

export function Toasts() {
  return (
    <Toast.Provider toastManager={manager} limit={4}>
      <Toast.Portal>
        <Toast.Viewport className="toasts">
          <Shown />
        </Toast.Viewport>
      </Toast.Portal>
    </Toast.Provider>
  );
}

function Shown() {
  const { toasts } = Toast.useToastManager();
  return toasts.map((toast) => (
    <Toast.Root key={toast.id} toast={toast} className={`toast ${toast.type ?? ''}`}>
      <Toast.Content className="toast-content">
        <div className="grow">
          <Toast.Title className="toast-title" />
          <Toast.Description className="toast-text" />
        </div>
        <Toast.Action className="button ghost" />
        <Toast.Close className="button ghost" aria-label="Dismiss">
          ✕
        </Toast.Close>
      </Toast.Content>
    </Toast.Root>
  ));
}
