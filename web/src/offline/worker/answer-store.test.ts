import { afterAll, expect, test, vi } from 'vitest';
import { AnswerStore } from './answer-store.ts';

afterAll(() => void vi.unstubAllGlobals());

test.each([
  ['a', 2_000_000, true],
  ['a', 2_000_001, false],
  ['ü', 1_000_000, true],
  ['ü', 1_000_001, false],
])('the size of an answer is counted in bytes: %j, %i times', async (letter, count, isStored) => {
  const stored = new Map<string, Response>();
  const cache = {
    keys: async () => [],
    put: async (url: string, answer: Response) => stored.set(url, answer),
    delete: async (url: string) => stored.delete(url),
  };
  vi.stubGlobal('caches', { open: async () => cache });
  await new AnswerStore(() => false).put('https://logbook.example/logs', { text: letter.repeat(count), etag: null });
  expect(stored.size).toBe(isStored ? 1 : 0);
});
