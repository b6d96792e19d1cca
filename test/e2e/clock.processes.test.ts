import { existsSync } from 'node:fs';
import { copyFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { productDir } from '../../src/kernel/product.js';
import { LogbookProcess } from '../fixtures/process.js';
import { type CallOptions, call, makeTempDir } from '../fixtures/service.js';

const libraries = ['x86_64', 'aarch64'].map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketime.so.1`);
const libfaketime = libraries.find((file) => existsSync(file));
const shim = pathToFileURL(join(productDir, 'test', 'fixtures', 'shifted-clock.mjs')).href;

const daySeconds = 86_400;
const asAdmin: CallOptions = { as: 'admin:adminPass' };

/** Ways to set the clock of a process, in seconds from now. */
const clocks: readonly { name: string; env: (file: string) => Record<string, string>; text: (s: number) => string }[] =
  [
    {
      name: 'whose Date is shifted',
      env: (file) => ({ NODE_OPTIONS: `--import ${shim}`, CLOCK_SHIFT_FILE: file }),
      text: String,
    },
    {
      name: 'under libfaketime (needs libfaketime)',
      env: (file) => ({
        LD_PRELOAD: libfaketime ?? '',
        FAKETIME_TIMESTAMP_FILE: file,
        FAKETIME_NO_CACHE: '1',
        FAKETIME_DONT_FAKE_MONOTONIC: '1',
      }),
      text: (seconds) => `${seconds < 0 ? '' : '+'}${seconds}`,
    },
  ];

describe.each(clocks)('a process $name', ({ name, env, text }) => {
  const isMissing = name.includes('libfaketime') && !libfaketime;
  let dir: string;
  let clockFile: string;
  beforeAll(async () => {
    dir = await makeTempDir();
    clockFile = join(dir, 'clock');
  });
  afterAll(() => rm(dir, { recursive: true, force: true }));

  const setClock = async (seconds: number) => {
    await writeFile(`${clockFile}.new`, `${text(seconds)}\n`);
    // The process must never read half a file.
    await rename(`${clockFile}.new`, clockFile);
  };
  const start = async (dataDir: string, seconds: number, settings: Record<string, string> = {}) => {
    await setClock(seconds);
    return LogbookProcess.start(join(dir, dataDir), { env: { ...env(clockFile), ...settings } });
  };
  const signIn = async (logbook: LogbookProcess): Promise<CallOptions> => {
    const json = { username: 'user', password: 'userPass' };
    const answer = await call(`${logbook.base}/login`, { method: 'POST', as: null, json });
    expect(answer.status).toBe(200);
    return { as: null, headers: { cookie: answer.headers.getSetCookie()[0]?.split(';')[0] ?? '' } };
  };
  const user = async (logbook: LogbookProcess, session: CallOptions) =>
    (await call(`${logbook.base}/user`, session)).status;
  const signInsOf = async (logbook: LogbookProcess) =>
    (await call(`${logbook.base}/audit?action=sign-in&user=user`, asAdmin)).body.length;
  /** Resolves once the job has removed what it may remove. */
  const retentionHasRun = (logbook: LogbookProcess) =>
    expect
      .poll(async () => (await call(`${logbook.origin}/metrics`)).text)
      .toMatch(/logbook_job_last_success_timestamp_seconds\{job="audit-retention"\} \d/);

  /** Puts a copy of the database there, as from before an upgrade; returns its path. */
  const copyDatabase = async (dataDir: string): Promise<string> => {
    const copy = join(dir, dataDir, 'logbook-schema-1.sqlite');
    await copyFile(join(dir, dataDir, 'logbook.sqlite'), copy);
    return copy;
  };

  test.skipIf(isMissing).each([400, -400])(
    'that is started with a clock %i days off removes neither sessions nor audit records',
    async (days) => {
      const dataDir = `off${days}`;
      const first = await start(dataDir, 0);
      const session = await signIn(first);
      await first.stop();
      const copy = await copyDatabase(dataDir);

      const wrong = await start(dataDir, days * daySeconds);
      await retentionHasRun(wrong);
      await signIn(wrong);
      await wrong.stop();
      expect(wrong.output + wrong.errors).toContain('system clock jumped');
      // The suspicion outlives a restart.
      const again = await start(dataDir, days * daySeconds);
      await retentionHasRun(again);
      await signIn(again);
      await again.stop();

      expect(existsSync(copy)).toBe(true);

      const right = await start(dataDir, 0);
      expect(await user(right, session)).toBe(200);
      // Records are removed in the order of their chain: the first one has not expired.
      expect(await signInsOf(right)).toBe(3);
      await right.stop();
    },
  );

  test.skipIf(isMissing)(
    'whose clock jumps while it runs removes no sessions, and throttles no user for as long as the jump',
    async () => {
      const logbook = await start('running', 0);
      const session = await signIn(logbook);
      const wrong = () => call(`${logbook.base}/user`, { as: 'user:wrong' });
      for (let at = 0; at < 9; at++) await wrong();
      await setClock(400 * daySeconds);
      expect([(await wrong()).status, (await wrong()).status]).toEqual([401, 429]);
      expect(await user(logbook, session)).toBe(404);
      await setClock(0);
      const throttled = await wrong();
      expect([throttled.status, Number(throttled.headers.get('retry-after')) <= 60]).toEqual([429, true]);
      expect(await user(logbook, session)).toBe(200);
      await logbook.stop();
    },
  );

  test.skipIf(isMissing)('that is told to trust its clock removes what has expired', async () => {
    const first = await start('trusted', 0);
    const session = await signIn(first);
    await first.stop();
    const copy = await copyDatabase('trusted');
    const later = await start('trusted', 400 * daySeconds, { LOGBOOK_TRUST_SYSTEM_CLOCK: 'true' });
    await retentionHasRun(later);
    // The job runs after each commit.
    const isThere = async () => {
      await signIn(later);
      return existsSync(copy);
    };
    await expect.poll(isThere).toBe(false);
    await later.stop();
    const back = await start('trusted', 0);
    expect(await user(back, session)).toBe(404);
    expect(await signInsOf(back)).toBeGreaterThanOrEqual(1);
    await back.stop();
  });
});
