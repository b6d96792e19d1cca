import { useSyncExternalStore } from 'react';
import { rootPath } from '../app/root-path.ts';
import { storedHeader } from './worker-messages.ts';

/** A failure counts as an outage if the service is still unreachable after this time. */
const confirmAfterMs = 2_000;
const checkEveryMs = 3_000;
const checkWithinMs = 10_000;
/**
 * Minimum time between two recoveries from outages that were too short to be shown, to limit the load of requests that
 * always fail.
 */
const recoverEveryMs = 30_000;
/** Stores in this tab when the outage began, for a reload. */
const storedName = 'logbook.unreachableSince';

/** Time of the first failed request; undefined: the last request was answered. */
let failedMs: number | undefined;
/** Start of the outage; undefined: the service is reachable. */
let sinceMs: number | undefined;
/** Start of the outage during which this tab was loaded; undefined: there was none. */
let earlierMs = readStored();
/** Whether the page has received kept answers and has not read them again. */
let showsKept = false;
let recoveredMs = 0;
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();
const recoveryListeners = new Set<(sinceMs: number) => void>();

/** Returns the start of the outage, in milliseconds since the epoch; undefined: the service is reachable. */
export function useOutage(): number | undefined {
  return useSyncExternalStore(watch, () => sinceMs);
}

/**
 * Calls the listener with the start of an outage when it has ended. An outage that is too short to be shown counts if
 * the page has received kept answers.
 */
export function onRecovered(listener: (sinceMs: number) => void): () => void {
  recoveryListeners.add(listener);
  return () => recoveryListeners.delete(listener);
}

/** Learns from an answer whether the service is reachable. */
export function noteAnswer(answer: Response): void {
  showsKept ||= answer.headers.has(storedHeader);
  if (isFromService(answer)) noteReachable();
  else noteUnreachable();
}

export function noteReachable(): void {
  // Kept answers of a short outage are read again after the pending check. If every answer caused that, a request that
  // still fails would be repeated without a pause.
  if (!isShort()) recover();
}

/** Whether the page has received kept answers in an outage that is not shown. */
function isShort(): boolean {
  return sinceMs === undefined && showsKept;
}

function recover(): void {
  clearTimeout(timer);
  timer = undefined;
  const begunMs = isShort() ? failedMs : sinceMs;
  failedMs = undefined;
  showsKept = false;
  if (sinceMs !== undefined || earlierMs !== undefined) change(undefined);
  earlierMs = undefined;
  if (begunMs === undefined) return;
  recoveredMs = Date.now();
  for (const listener of recoveryListeners) listener(begunMs);
}

/** Learns that a request has failed, and checks again in a moment. */
export function noteUnreachable(): void {
  failedMs ??= earlierMs ?? Date.now();
  timer ??= setTimeout(() => void check(), sinceMs === undefined ? confirmAfterMs : checkEveryMs);
}

/** Asks the service itself: the service worker leaves this request alone. */
async function check(): Promise<void> {
  const answer = await fetch(`${rootPath}/me`, {
    cache: 'no-store',
    signal: AbortSignal.timeout(checkWithinMs),
  }).catch(() => undefined);
  timer = undefined;
  if (answer && isFromService(answer)) {
    if (!isShort() || Date.now() >= recoveredMs + recoverEveryMs) return recover();
  } else if (failedMs !== undefined && sinceMs === undefined) change(failedMs);
  noteUnreachable();
}

/** Whether the service itself has answered; otherwise the service worker did, or a proxy that cannot reach it. */
function isFromService({ status, headers }: Response): boolean {
  if (headers.has(storedHeader)) return false;
  const isJson = /^application\/json\b/.test(headers.get('content-type') ?? '');
  return isJson || ![502, 503, 504].includes(status);
}

function change(next: number | undefined): void {
  sinceMs = next;
  try {
    if (next === undefined) sessionStorage.removeItem(storedName);
    else sessionStorage.setItem(storedName, String(next));
  } catch {
    // Storage is switched off: a reload restarts the count.
  }
  for (const listener of listeners) listener();
}

function readStored(): number | undefined {
  try {
    return Number(sessionStorage.getItem(storedName)) || undefined;
  } catch {
    return undefined;
  }
}

function watch(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
