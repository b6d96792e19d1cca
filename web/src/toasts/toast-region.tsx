import { Check, CircleAlert, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { focusOrContent, isFocusFree } from '../app/page-focus.ts';
import { Icon } from '../components/icon.tsx';
import { dismissToast, type Toast, useToast } from './toasts.ts';

/** Shows one toast at a time. Its timer stops while it has the focus or the pointer. */
export function ToastRegion() {
  const toast = useToast();
  const [isHeld, hold] = useState(false);
  const leftMs = useRef(0);
  const id = toast?.id;
  const startedId = useRef<number>(undefined);
  if (toast && startedId.current !== id) {
    startedId.current = id;
    leftMs.current = toast.durationMs;
  }
  useEffect(() => {
    // No event says that a message that goes loses the pointer or the focus.
    if (id === undefined) hold(false);
    if (id === undefined || isHeld) return undefined;
    const startedAt = performance.now();
    const timer = setTimeout(() => dismissToast(id), leftMs.current);
    return () => {
      clearTimeout(timer);
      leftMs.current -= performance.now() - startedAt;
    };
  }, [id, isHeld]);
  const cameFrom = useRef<{ readonly element: Element | null }>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: whenever a message goes
  useEffect(() => {
    if (cameFrom.current && isFocusFree()) focusOrContent(cameFrom.current.element);
    cameFrom.current = undefined;
  }, [id]);
  return (
    <div role="status" aria-live="polite">
      {toast && (
        // biome-ignore lint/a11y/noStaticElementInteractions: it only stops its own clock
        <div
          className="toast"
          onPointerEnter={() => hold(true)}
          onPointerLeave={() => hold(false)}
          onFocus={({ relatedTarget }) => {
            hold(true);
            cameFrom.current ??= { element: relatedTarget };
          }}
          onBlur={() => hold(false)}
        >
          <Message toast={toast} />
        </div>
      )}
    </div>
  );
}

function Message({ toast }: { readonly toast: Toast }) {
  const { t } = useTranslation();
  return (
    <>
      <Icon of={toast.tone === 'done' ? Check : CircleAlert} />
      <span className="grow">{toast.text}</span>
      {toast.action && (
        <button
          type="button"
          className="button small"
          onClick={() => {
            // Runs before the message goes, because `onGone` must see the change.
            toast.action?.run();
            dismissToast(toast.id);
          }}
        >
          {toast.action.label}
          {toast.action.key && <kbd>{toast.action.key}</kbd>}
        </button>
      )}
      <button
        type="button"
        className="button ghost small icon-only"
        aria-label={t('close')}
        onClick={() => dismissToast(toast.id)}
      >
        <Icon of={X} />
      </button>
    </>
  );
}
