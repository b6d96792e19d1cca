import { useSyncExternalStore } from 'react';

/** A short message at the bottom of the page, with at most one action. */
export interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: 'done' | 'problem';
  readonly durationMs: number;
  readonly action?: { readonly label: string; readonly run: () => void; readonly key?: string } | undefined;
  /** Called when the message has gone, and with it its action. */
  readonly onGone?: (() => void) | undefined;
}

const defaultDurationMs = 6_000;

const listeners = new Set<() => void>();
let shown: Toast | undefined;
let lastId = 0;

/** Shows the message; it replaces the one before. Returns its id. */
export function showToast(
  text: string,
  { tone = 'done', durationMs = defaultDurationMs, action, onGone }: Partial<Omit<Toast, 'id' | 'text'>> = {},
): number {
  lastId += 1;
  replace({ id: lastId, text, tone, durationMs, action, onGone });
  return lastId;
}

/** Removes the message, unless another one has replaced it. */
export function dismissToast(id: number): void {
  if (shown?.id === id) replace(undefined);
}

function replace(next: Toast | undefined): void {
  const gone = shown;
  shown = next;
  for (const listener of listeners) listener();
  gone?.onGone?.();
}

export function useToast(): Toast | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => shown,
  );
}
