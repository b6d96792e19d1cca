import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { storedHeader } from './worker-messages.ts';

const storedName = 'logbook.unreachableSince';
const answer = (headers: Record<string, string> = {}) =>
  new Response('{}', { headers: { 'content-type': 'application/json', ...headers } });
const kept = () => answer({ [storedHeader]: '1' });

let stored: Map<string, string>;
let isDown: boolean;
let pages = 0;

/** Loads the page, whose state is in the module. */
function load(): Promise<typeof import('./connection.ts')> {
  pages += 1;
  return import(/* @vite-ignore */ `./connection.ts?page=${pages}`) as Promise<typeof import('./connection.ts')>;
}

beforeEach(() => {
  stored = new Map();
  isDown = false;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: 1_000_000 });
  vi.stubGlobal('document', { querySelector: () => null });
  vi.stubGlobal('sessionStorage', {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => stored.set(name, value),
    removeItem: (name: string) => stored.delete(name),
  });
  vi.stubGlobal('fetch', async () => {
    if (isDown) throw new TypeError('Failed to fetch');
    return answer();
  });
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test('kept answers are read again after an outage that was too short to be shown', async () => {
  const { noteAnswer, onRecovered } = await load();
  const begins: number[] = [];
  onRecovered((sinceMs) => begins.push(sinceMs));
  noteAnswer(kept());
  await vi.advanceTimersByTimeAsync(1_000);
  // Not every answer ends the outage: a request that still fails would be repeated without a pause.
  noteAnswer(answer());
  expect(begins).toEqual([]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(begins).toEqual([1_000_000]);
  // A second short outage ends, too, but only after the minimum pause.
  noteAnswer(kept());
  await vi.advanceTimersByTimeAsync(20_000);
  expect(begins).toEqual([1_000_000]);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(begins).toEqual([1_000_000, 1_002_000]);
  noteAnswer(answer());
  await vi.advanceTimersByTimeAsync(60_000);
  expect(begins).toHaveLength(2);
});

test('a request that fails once repeats nothing', async () => {
  const { noteAnswer, noteUnreachable, onRecovered } = await load();
  const listener = vi.fn();
  onRecovered(listener);
  noteUnreachable();
  noteAnswer(answer());
  noteUnreachable();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(listener).not.toHaveBeenCalled();
});

test('the next outage of a tab has its own beginning, also if the page was loaded again in between', async () => {
  const before = await load();
  isDown = true;
  before.noteUnreachable();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(stored.get(storedName)).toBe('1000000');
  isDown = false;
  vi.clearAllTimers();
  const { noteAnswer, noteUnreachable } = await load();
  noteAnswer(answer());
  expect(stored.has(storedName)).toBe(false);
  await vi.advanceTimersByTimeAsync(3_600_000);
  isDown = true;
  noteUnreachable();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(Number(stored.get(storedName))).toBeGreaterThanOrEqual(4_600_000);
});
