import { useSyncExternalStore } from 'react';
import { serverNow } from '../api/server-clock.ts';
import { startOfDay } from './calendar.ts';

/** Interval at which the day is read. A timer until midnight would be late after the computer has slept. */
const intervalMs = 30_000;

const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** Returns the start of the current local day. The component is rendered again when another day begins. */
export function useToday(): number {
  return useSyncExternalStore(listen, today);
}

function today(): number {
  return startOfDay(serverNow());
}

/** All components share one timer. */
function listen(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    for (const each of listeners) each();
  }, intervalMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}
