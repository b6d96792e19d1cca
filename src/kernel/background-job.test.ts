import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { recordingLog } from '../../test/fixtures/log.js';
import { BackgroundJob, type Job } from './background-job.js';
import { JobRegistry } from './job-registry.js';

let logged: ReturnType<typeof recordingLog>;
let job: BackgroundJob | undefined;
beforeEach(() => {
  vi.useFakeTimers();
  logged = recordingLog();
});
afterEach(async () => {
  await job?.stop();
  vi.useRealTimers();
});

const begin = (fields: Partial<Job> & Pick<Job, 'run'>): BackgroundJob => {
  job = new JobRegistry({ log: logged.log }).start({ name: 'some-job', failure: 'some job failed', ...fields });
  return job;
};
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('a job runs at each interval, and repeatedly while there is more work', async () => {
  const left = ['more', 'more', 'idle', 'idle'] as const;
  let runs = 0;
  begin({ intervalMs: 1_000, run: async () => left[runs++] ?? 'idle' });
  await pass(999);
  expect(runs).toBe(0);
  await pass(1);
  expect(runs).toBe(3);
  await pass(1_000);
  expect(runs).toBe(4);
});

test('runs never overlap; triggers during a run cause one more run', async () => {
  const finish: (() => void)[] = [];
  const it = begin({
    run: () => new Promise((resolve) => finish.push(() => resolve('idle'))),
  });
  it.trigger();
  await pass(0);
  it.trigger();
  it.trigger();
  await pass(10);
  expect(finish).toHaveLength(1);
  finish[0]?.();
  await pass(10);
  expect(finish).toHaveLength(2);
  finish[1]?.();
  await pass(60_000);
  expect(finish).toHaveLength(2);
});

test('a trigger is delayed, so that one run serves several triggers', async () => {
  let runs = 0;
  const it = begin({
    delayMs: 500,
    run: async () => {
      runs += 1;
      return 'idle';
    },
  });
  for (let at = 0; at < 5; at++) {
    it.trigger();
    await pass(90);
  }
  expect(runs).toBe(0);
  await pass(50);
  expect(runs).toBe(1);
  await pass(10_000);
  expect(runs).toBe(1);
});

test('runNow resolves with a run that began after the call, and rejects with its error', async () => {
  const finish: (() => void)[] = [];
  const it = begin({ run: () => new Promise((resolve) => finish.push(() => resolve('idle'))) });
  it.trigger();
  await pass(0);
  let done = false;
  const now = it.runNow().then(() => {
    done = true;
  });
  finish[0]?.();
  await pass(0);
  expect([finish.length, done]).toEqual([2, false]);
  finish[1]?.();
  await now;
  await it.stop();
  const failing = begin({ run: () => Promise.reject(new Error('broken')) });
  await expect(failing.runNow()).rejects.toThrow('broken');
});

test('a failed run is retried; each distinct error is logged once, and again after a success', async () => {
  const outcomes = ['a', 'a', 'b', undefined, 'b'];
  let runs = 0;
  const it = begin({
    retryMs: 100,
    run: async () => {
      const outcome = outcomes[runs++];
      if (outcome !== undefined) throw new Error(outcome);
      return 'idle';
    },
  });
  it.trigger();
  await pass(0);
  expect(it.status).toMatchObject({ lastError: 'Error: a', lastSuccessMs: undefined });
  await pass(300);
  expect(runs).toBe(4);
  expect(it.status).toMatchObject({ lastError: undefined, lastSuccessMs: Date.now() });
  it.trigger();
  await pass(0);
  expect(logged.messages()).toEqual(['some job failed', 'some job failed', 'some job failed']);
});

test('stop aborts the current run and waits for it; nothing runs afterwards', async () => {
  let runs = 0;
  const it = begin({
    intervalMs: 10,
    run: (signal) => {
      runs += 1;
      return new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('aborted'))));
    },
  });
  await pass(10);
  await it.stop();
  it.trigger();
  await pass(1_000);
  expect(runs).toBe(1);
  expect(logged.messages()).toEqual([]);
});

test('without the lease the job does not run', async () => {
  let mayRun = false;
  let runs = 0;
  job = new BackgroundJob(
    {
      name: 'some-job',
      failure: 'some job failed',
      intervalMs: 100,
      run: async () => {
        runs += 1;
        return 'idle';
      },
    },
    { log: logged.log, lease: { hold: async () => mayRun } },
  );
  await pass(1_000);
  expect(runs).toBe(0);
  expect(job.status.lastSuccessMs).toBeUndefined();
  mayRun = true;
  await pass(100);
  expect(runs).toBe(1);
});
