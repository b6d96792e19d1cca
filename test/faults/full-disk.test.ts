import { STATUS_CODES } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { LogbookProcess } from '../fixtures/process.js';
import { type Answer, call } from '../fixtures/service.js';
import { checkDataDir } from './check-data-dir.js';
import { checkStore, versionOf } from './check-store.js';
import { Ledger } from './ledger.js';
import { Random } from './random.js';
import { SmallDisk } from './small-disk.js';
import { type Plan, planAddition, planCreation, planEdit, send } from './submissions.js';

type RequestCredentials = Record<string, string>;

const megabyte = 1_048_576;
const requestsAtOnce = 8;
/** This many rejected requests in a row mean that the disk is full. */
const refusalsWhenFull = 25;
const maxRequests = 5_000;
const quiet = { env: { LOGBOOK_LOG_LEVEL: 'error' } };

describe.skipIf(!process.env.CI && !SmallDisk.isPossible())('on a full disk (needs the right to mount a disk)', () => {
  const random = new Random('full disk');
  let disk: SmallDisk;
  let ledger: Ledger;
  let logbook: LogbookProcess;

  beforeEach(async () => {
    disk = SmallDisk.mount(16 * megabyte, 4 * megabyte);
    ledger = new Ledger();
    logbook = await LogbookProcess.start(disk.dataDir, quiet);
  });

  afterEach(async () => {
    await logbook.stop('SIGKILL');
    disk.unmount();
  });

  test('507 or 503 for a request that does not fit: no part of it is stored, everything else stays readable, and writes work again once there is space', async () => {
    await fill(() => planAny(ledger, random));
    await fill(() => planCreation(random));
    expect((await call(`${logbook.origin}/readyz`)).status).toBe(503);
    await checkStore(logbook.base, ledger);
    await expectOtherWritesAnswered();
    await checkStore(logbook.base, ledger);
    await expectRecovery();
  });

  test('507 or 503 when the database cannot grow: nothing is stored, everything else stays readable, and writes work again once there is space', async () => {
    await fill(() => planCreation(random, { textBytes: 3_000 }));
    await fill(() => planCreation(random));
    await checkStore(logbook.base, ledger);
    await expectRecovery();
  });

  test('after kill -9 on a full disk, everything acknowledged is present after a restart with space', async () => {
    await fill(() => planAny(ledger, random));
    await fill(() => planCreation(random, { textBytes: 2_000 }));
    await logbook.stop('SIGKILL');
    disk.throwOffBallast();
    await expectSameAfterRestart();
  });

  test('after a stop with no byte left it starts again: everything is readable, writes are refused, and work again once there is space', async () => {
    for (let at = 0; at < 20; at++) await submit(planAny(ledger, random));
    // Stop while there is space, so that every file next to the databases is removed.
    expect(await logbook.stop()).toBe(0);
    // Twice: a stop on the full disk leaves what the next start needs, too.
    for (let round = 0; round < 2; round++) {
      disk.fillUp();
      logbook = await LogbookProcess.start(disk.dataDir, quiet);
      await checkStore(logbook.base, ledger);
      expect((await call(`${logbook.base}/logs/search?size=5`)).status).toBe(200);
      expect(await call(`${logbook.origin}/readyz`)).toMatchObject({
        status: 503,
        body: { checks: { write: { status: 'failed' } } },
      });
      expect(await submit(planCreation(random))).toBe(false);
      if (round === 0) expect(await logbook.stop(), logbook.errors.slice(-3_000)).toBe(0);
    }
    await expectRecovery();
  });

  test('a session ended or a token deleted on a full disk stays invalid after kill -9', async () => {
    const revoked = await signIn();
    const [{ id }] = (await call(`${logbook.base}/sessions`)).body;
    const made = await call(`${logbook.base}/tokens`, { method: 'POST', json: { name: 'x' } });
    const token = { authorization: `Bearer ${made.body.token}` };
    const left = await signIn();
    await fill(() => planAny(ledger, random));
    await fill(() => planCreation(random));
    expect((await signOut(left)).status).toBe(200);
    for (const path of [`/sessions/${id}`, `/tokens/${made.body.id}`]) {
      expect((await call(`${logbook.base}${path}`, { method: 'DELETE' })).status).toBe(200);
    }
    for (const evidence of [revoked, token, left]) expect(await isSignedIn(evidence)).toBe(false);
    await logbook.stop('SIGKILL');
    disk.throwOffBallast();
    logbook = await LogbookProcess.start(disk.dataDir, quiet);
    for (const evidence of [revoked, token, left]) expect(await isSignedIn(evidence)).toBe(false);
    await checkStore(logbook.base, ledger);
  });

  test('signing out with no byte left succeeds or responds 507 session.not-ended; either way the cookie is cleared, and writes work again once there is space', async () => {
    const sessions = await Promise.all(Array.from({ length: 90 }, signIn));
    await fill(() => planAny(ledger, random));
    disk.fillUp();
    for (const session of sessions) {
      const answer = await signOut(session);
      expect(answer.headers.getSetCookie()).toEqual([expect.stringMatching(/^SESSION=;/)]);
      if (answer.status !== 200) expect(answer).toMatchObject({ status: 507, body: { code: 'session.not-ended' } });
      expect(await isSignedIn(session)).toBe(answer.status !== 200);
    }
    await expectRecovery();
  });

  /** Signs in; returns the headers that a browser sends from then on. */
  async function signIn(): Promise<RequestCredentials> {
    const json = { username: 'user', password: 'userPass' };
    const answer = await call(`${logbook.base}/login`, { method: 'POST', as: null, json });
    return { cookie: answer.headers.getSetCookie()[0]?.split(';')[0] ?? '' };
  }

  function signOut(headers: RequestCredentials): Promise<Answer> {
    return call(`${logbook.base}/logout`, { method: 'POST', as: null, headers });
  }

  async function isSignedIn(headers: RequestCredentials): Promise<boolean> {
    return (await call(`${logbook.base}/user`, { as: null, headers })).status === 200;
  }

  /** Sends requests until the disk is full. */
  async function fill(planNext: () => Plan): Promise<void> {
    let sent = 0;
    let refusals = 0;
    const lane = async () => {
      while (refusals < refusalsWhenFull) {
        sent += 1;
        expect(sent, 'the disk does not fill up').toBeLessThan(maxRequests);
        refusals = (await submit(planNext())) ? 0 : refusals + 1;
      }
    };
    await Promise.all(Array.from({ length: requestsAtOnce }, lane));
  }

  /** Sends a request; true when it was stored. */
  async function submit(plan: Plan): Promise<boolean> {
    ledger.record(plan.submission);
    const answer = await send(logbook.base, plan);
    if (answer.status === 200) {
      ledger.acknowledge(plan.submission, answer.body, versionOf(answer));
      return true;
    }
    expectRefusal(answer);
    ledger.refuse(plan.submission);
    return false;
  }

  async function expectOtherWritesAnswered(): Promise<void> {
    const writes = [
      ['PUT', '/tags/new', { name: 'new' }],
      ['PUT', '/templates', { title: 'A template', logbooks: [{ name: 'operations' }] }],
      ['POST', '/login', { username: 'user', password: 'userPass' }],
    ] as const;
    for (const [method, path, json] of writes) {
      const answer = await call(`${logbook.base}${path}`, { method, json });
      if (answer.status !== 200) expectRefusal(answer);
    }
  }

  async function expectRecovery(): Promise<void> {
    disk.throwOffBallast();
    expect(await submit(planCreation(random)), 'the first entry once there is space').toBe(true);
    // A check is valid for a second.
    await expect.poll(async () => (await call(`${logbook.origin}/readyz`)).status).toBe(200);
    expect(await submit(planCreation(random, { fileSizes: [200_000] })), 'the first file').toBe(true);
    await checkStore(logbook.base, ledger);
    expect(await logbook.stop(), logbook.errors.slice(-3_000)).toBe(0);
    await expectSameAfterRestart();
  }

  async function expectSameAfterRestart(): Promise<void> {
    logbook = await LogbookProcess.start(disk.dataDir, quiet);
    await checkStore(logbook.base, ledger);
    expect(await submit(planCreation(random, { fileSizes: [1_000] }))).toBe(true);
    expect(await logbook.stop()).toBe(0);
    await checkDataDir(disk.dataDir);
  }
});

/** Plans a write request of any kind; most have large files. */
function planAny(ledger: Ledger, random: Random): Plan {
  const size = () => random.whole(10_000, 250_000);
  const known = ledger.known();
  const kind = known.length === 0 ? 0 : random.whole(0, 9);
  if (kind < 3) return planCreation(random, { fileSizes: [size(), size()] });
  if (kind < 5) return planCreation(random, { textBytes: random.magnitude(4, 10_000) });
  const target = random.pick(known);
  if (kind < 6) return planCreation(random, {}, target.id);
  if (kind < 7) return planEdit(random, target, { textBytes: 1_000 });
  if (kind < 8) return planEdit(random, target, { fileSizes: [size()] });
  return planAddition(random, target, size());
}

/** Expects the usual error document, with a status that says there is no space. */
function expectRefusal(answer: Answer): void {
  expect([503, 507], answer.text).toContain(answer.status);
  expect(answer.headers.get('content-type')).toMatch(/^application\/json/);
  expect(answer.body).toEqual({
    timestamp: expect.any(Number),
    status: answer.status,
    error: STATUS_CODES[answer.status],
    code: expect.stringMatching(/^[a-z-]+\.[a-z-]+$/),
    message: expect.stringMatching(/./),
    path: expect.stringMatching(/^\/logbook\//),
    requestId: expect.stringMatching(/./),
  });
}
