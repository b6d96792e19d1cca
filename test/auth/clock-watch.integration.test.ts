import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ApiTokens } from '../../src/auth/api-tokens.js';
import { Sessions } from '../../src/auth/sessions.js';
import { ClockWatch } from '../../src/kernel/clock-watch.js';
import { recordingLog, silentJobs } from '../fixtures/log.js';
import { sqliteEngine } from '../fixtures/sqlite-engine.js';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const account = { scheme: 'inMemory', userName: 'user', roles: [], groups: [] };

describe('the watch of the system clock', () => {
  let opened: Awaited<ReturnType<typeof sqliteEngine.open>>;
  let wallMs: number;
  let elapsedMs: number;
  let recorded: ReturnType<typeof recordingLog>;
  const watches: ClockWatch[] = [];
  const clock = { nowMs: () => wallMs };
  beforeEach(async () => {
    opened = await sqliteEngine.open();
    wallMs = Date.UTC(2026, 0, 1);
    elapsedMs = 0;
    recorded = recordingLog();
  });
  afterEach(async () => {
    for (const watch of watches.splice(0)) await watch.close();
    await opened.destroy();
  });

  const start = async ({
    newestRecordMs,
    isAlwaysTrusted = false,
  }: {
    newestRecordMs?: number;
    isAlwaysTrusted?: boolean;
  } = {}) => {
    const watch = await ClockWatch.start(
      {
        clock,
        monotonic: { elapsedMs: () => elapsedMs },
        storage: opened.storage,
        log: recorded.log,
        jobs: silentJobs(),
      },
      { newestRecordMs, isAlwaysTrusted },
    );
    watches.push(watch);
    return watch;
  };
  const stop = async (watch: ClockWatch) => {
    watches.splice(watches.indexOf(watch), 1);
    await watch.close();
  };
  /** Time passes; the clock shows it. */
  const pass = (ms: number) => {
    wallMs += ms;
    elapsedMs += ms;
  };
  const restartAfter = async (watch: ClockWatch, ms: number) => {
    await stop(watch);
    wallMs += ms;
    elapsedMs = 5_000;
    return start();
  };

  test('trusts a clock that runs steadily, is corrected a little, or stopped with a suspended machine', async () => {
    const watch = await start();
    pass(100 * dayMs);
    expect(watch.mayRemoveByAge()).toBe(true);
    wallMs += 50 * 60_000;
    expect(watch.mayRemoveByAge()).toBe(true);
    wallMs -= 50 * 60_000;
    expect(watch.mayRemoveByAge()).toBe(true);
    expect(recorded.messages()).toEqual([]);
  });

  test.each([2 * hourMs, 400 * dayMs, -2 * hourMs, -400 * dayMs])(
    'a jump of %i ms: nothing may be removed until the clock is back, or has run steadily for a day',
    async (jumpMs) => {
      const watch = await start();
      wallMs += jumpMs;
      expect(watch.mayRemoveByAge()).toBe(false);
      pass(10 * hourMs);
      expect(watch.mayRemoveByAge()).toBe(false);
      wallMs -= jumpMs;
      expect(watch.mayRemoveByAge()).toBe(true);
      wallMs += jumpMs;
      expect(watch.mayRemoveByAge()).toBe(false);
      pass(dayMs - 1);
      expect(watch.mayRemoveByAge()).toBe(false);
      pass(1);
      expect(watch.mayRemoveByAge()).toBe(true);
      expect(recorded.messages().filter((message) => message.includes('jumped'))).toHaveLength(2);
    },
  );

  test('a second jump restarts the day', async () => {
    const watch = await start();
    wallMs += 400 * dayMs;
    expect(watch.mayRemoveByAge()).toBe(false);
    pass(20 * hourMs);
    wallMs += 400 * dayMs;
    expect(watch.mayRemoveByAge()).toBe(false);
    pass(20 * hourMs);
    expect(watch.mayRemoveByAge()).toBe(false);
    pass(4 * hourMs);
    expect(watch.mayRemoveByAge()).toBe(true);
  });

  test('a restart: a short stop is trusted; a clock that was set in the meantime is not', async () => {
    let watch = await restartAfter(await start(), 20 * hourMs);
    expect(watch.mayRemoveByAge()).toBe(true);
    watch = await restartAfter(watch, 400 * dayMs);
    expect(watch.mayRemoveByAge()).toBe(false);
    watch = await restartAfter(watch, -400 * dayMs);
    expect(watch.mayRemoveByAge()).toBe(true);
    watch = await restartAfter(watch, -2 * hourMs);
    expect(watch.mayRemoveByAge()).toBe(false);
  });

  test('the suspicion and the hours of steady running outlive restarts', async () => {
    let watch = await start();
    wallMs += 400 * dayMs;
    expect(watch.mayRemoveByAge()).toBe(false);
    pass(20 * hourMs);
    watch = await restartAfter(watch, hourMs);
    expect(watch.mayRemoveByAge()).toBe(false);
    pass(3 * hourMs);
    expect(watch.mayRemoveByAge()).toBe(false);
    pass(hourMs);
    expect(watch.mayRemoveByAge()).toBe(true);
    watch = await restartAfter(watch, hourMs);
    expect(watch.mayRemoveByAge()).toBe(true);
  });

  test('data without a stored state are compared by their newest record', async () => {
    const ahead = await start({ newestRecordMs: wallMs + 400 * dayMs });
    expect(ahead.mayRemoveByAge()).toBe(false);
  });

  test('an operator can confirm the clock', async () => {
    let watch = await start();
    wallMs += 400 * dayMs;
    expect(watch.mayRemoveByAge()).toBe(false);
    await stop(watch);
    watch = await start({ isAlwaysTrusted: true });
    expect(watch.mayRemoveByAge()).toBe(true);
    await stop(watch);
    watch = await start();
    expect(watch.mayRemoveByAge()).toBe(true);
  });

  describe('a session or token from a time when the clock was ahead', () => {
    test('lasts no longer than one that is opened now: a session', async () => {
      const watch = await start();
      const sessions = new Sessions(
        { storage: opened.storage, clock, clockWatch: watch },
        { idleMs: hourMs, totalMs: dayMs },
      );
      wallMs += 400 * dayMs;
      const secret = await sessions.open(account, '127.0.0.1');
      wallMs -= 400 * dayMs;
      const session = await sessions.find(secret);
      if (session) await sessions.touch(session);
      expect(await sessions.find(secret)).toMatchObject({ expiresMs: wallMs + hourMs, endsMs: wallMs + dayMs });
    });

    test('lasts no longer than one that is opened now: a token', async () => {
      const watch = await start();
      const tokens = new ApiTokens({ storage: opened.storage, clock, clockWatch: watch });
      wallMs += 400 * dayMs;
      const { secret } = await tokens.create(account, { name: 'x', rights: [], days: 3 });
      wallMs -= 400 * dayMs;
      expect(await tokens.find(secret)).toMatchObject({ createdMs: wallMs, expiresMs: wallMs + 3 * dayMs });
      wallMs += 3 * dayMs;
      expect(await tokens.find(secret)).toBeUndefined();
    });
  });
});
