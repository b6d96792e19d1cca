import { expect, onTestFinished, test, vi } from 'vitest';
import { EventLoopDelay } from './event-loop-delay.js';

test('a timer that is served late is a delay', async () => {
  const delay = new EventLoopDelay();
  expect(delay.read()).toEqual([]);
  delay.noteRequest();
  const endMs = performance.now() + 50;
  while (performance.now() < endMs);
  let statistics: ReturnType<typeof delay.read> = [];
  await expect.poll(() => (statistics = delay.read())).not.toEqual([]);
  expect(statistics.map(([name]) => name)).toEqual(['p50', 'p99', 'max']);
  expect(new Map(statistics).get('max')).toBeGreaterThan(0.03);
});

test('without requests nothing wakes the process', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const delay = new EventLoopDelay();
  expect(vi.getTimerCount()).toBe(0);
  delay.noteRequest();
  vi.advanceTimersByTime(500);
  delay.noteRequest();
  vi.advanceTimersByTime(900);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(200);
  expect(vi.getTimerCount()).toBe(0);
});
