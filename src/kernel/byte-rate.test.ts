import { expect, test } from 'vitest';
import { ByteRate } from './byte-rate.js';

/** A rate whose pauses advance the clock and do not wait. */
function rateOf(bytesPerSecond: number | undefined) {
  let nowMs = 0;
  const signal = new AbortController().signal;
  const rate = new ByteRate(bytesPerSecond, signal, {
    monotonic: { elapsedMs: () => nowMs },
    pause: async (ms) => {
      nowMs += ms;
    },
  });
  return {
    rate,
    now: () => nowMs,
    pass: (ms: number) => {
      nowMs += ms;
    },
  };
}

test('bytes take the time that the rate gives them, whatever the sizes of the chunks', async () => {
  const { rate, now } = rateOf(1_000);
  for (const bytes of [1, 999, 4_000, 0, 5_000]) await rate.take(bytes);
  expect(now()).toBeCloseTo(10_000);
});

test('at most one second of an idle time is credited', async () => {
  const { rate, now, pass } = rateOf(1_000);
  pass(60_000);
  await rate.take(3_000);
  expect(now()).toBe(62_000);
});

test('two streams that share a rate do not exceed it together', async () => {
  const { rate, now } = rateOf(1_000);
  await Promise.all([rate.take(2_000), rate.take(2_000)]);
  expect(now()).toBeGreaterThanOrEqual(4_000);
});

test('without a limit nothing waits, and an abort ends a pause', async () => {
  const { rate, now } = rateOf(undefined);
  await rate.take(1e12);
  expect(now()).toBe(0);
  const stop = new AbortController();
  const waiting = new ByteRate(1, stop.signal).take(1_000_000);
  stop.abort(new Error('stopped'));
  await expect(waiting).rejects.toThrow('stopped');
});
