import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { LogbookProcess } from '../fixtures/process.js';
import { makeTempDir } from '../fixtures/service.js';
import { checkDataDir, incomingFiles } from './check-data-dir.js';
import { checkStore, versionOf } from './check-store.js';
import { Ledger, type Submission } from './ledger.js';
import { Random } from './random.js';
import { planAny, send } from './submissions.js';

/** `npm test` runs fewer rounds than `npm run test:faults`. */
const rounds = Number(process.env.LOGBOOK_TEST_KILL_ROUNDS ?? '20');
const requestsPerRound = 400;
const requestsAtOnce = 200;
/** All requests are of one user, who may then have that many waiting. */
const quiet = { env: { LOGBOOK_LOG_LEVEL: 'warn', LOGBOOK_MAX_WAITING_PER_CLIENT: '1000' } };

test('every acknowledged write survives kill -9: complete, exactly once, and found by search', async () => {
  const seed = process.env.LOGBOOK_TEST_SEED ?? String(Date.now());
  const random = new Random(seed);
  const dataDir = await makeTempDir();
  const ledger = new Ledger();
  let logbook = await LogbookProcess.start(dataDir, quiet);
  let round = 0;
  try {
    for (round = 1; round <= rounds; round += 1) {
      const newestBefore = ledger.highestId();
      const sent = await writeUntilKilled(logbook, ledger, random);
      logbook = await LogbookProcess.start(dataDir, quiet);
      expect(await incomingFiles(dataDir)).toEqual([]);
      await checkStore(logbook.base, ledger, sent);
      expectNewIds(ledger, sent, newestBefore);
    }
    await checkStore(logbook.base, ledger);
    expect(await logbook.stop()).toBe(0);
    expect(await incomingFiles(dataDir)).toEqual([]);
    // Files left over from the last kill are removed by the next start at the latest.
    logbook = await LogbookProcess.start(dataDir, quiet);
    expect(await logbook.stop()).toBe(0);
    await checkDataDir(dataDir);
    await rm(dataDir, { recursive: true });
  } catch (error) {
    const problem = error instanceof Error ? error.message : String(error);
    throw new Error(
      `seed ${seed}, round ${round} of ${rounds}, data kept in ${dataDir}: ${problem}\n${logbook.errors.slice(-4_000)}`,
      { cause: error },
    );
  } finally {
    await logbook.stop('SIGKILL');
  }
});

/** Sends many concurrent requests and kills the process among them; resolves to what was sent. */
async function writeUntilKilled(logbook: LogbookProcess, ledger: Ledger, random: Random): Promise<Submission[]> {
  const sent: Submission[] = [];
  const killAfterAnswers = random.whole(0, requestsPerRound - requestsAtOnce);
  const killDelayMs = random.magnitude(1, 50) - 1;
  let answers = 0;
  let killed = false;
  // Responses arrive in batches, one per commit; the delay also hits the moments between two batches.
  const killSoon = () =>
    setTimeout(() => {
      killed = true;
      logbook.signal('SIGKILL');
    }, killDelayMs);

  const lane = async () => {
    while (!killed && sent.length < requestsPerRound) {
      const plan = planAny(ledger, random);
      sent.push(plan.submission);
      ledger.record(plan.submission);
      const answer = await send(logbook.base, plan).catch((error: unknown) => {
        if (killed) return undefined;
        throw error;
      });
      if (!answer) return;
      if (answer.status === 200) ledger.acknowledge(plan.submission, answer.body, versionOf(answer));
      else if (answer.body?.code === 'entry.unknown-parent') ledger.refuse(plan.submission);
      else throw new Error(`${plan.path} got ${answer.status} ${answer.text}`);
      answers += 1;
      if (answers === killAfterAnswers) killSoon();
    }
  };
  if (killAfterAnswers === 0) killSoon();
  await Promise.all(Array.from({ length: requestsAtOnce }, lane));
  await logbook.exit();
  return sent;
}

/** Expects that no id is assigned twice, acknowledged or not: new ones are all larger. */
function expectNewIds(ledger: Ledger, sent: readonly Submission[], newestBefore: number): void {
  const ids = sent.flatMap((submission) => (submission.kind === 'create' ? (ledger.idOf(submission) ?? []) : []));
  expect(Math.min(...ids, Number.POSITIVE_INFINITY)).toBeGreaterThan(newestBefore);
}
