import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { Entry } from '../../src/entries/entry.js';
import { LogbookProcess } from '../fixtures/process.js';
import { type Answer, type CallOptions, call, makeTempDir } from '../fixtures/service.js';
import { checkDataDir } from './check-data-dir.js';
import { Random } from './random.js';

const rounds = Number(process.env.LOGBOOK_TEST_KILL_ROUNDS ?? '5');
const writers = 40;
const partBytes = 20_000;
const fileBytes = 3 * partBytes;
const options = { env: { LOGBOOK_LOG_LEVEL: 'warn', LOGBOOK_MAX_WAITING_PER_CLIENT: '1000' } };

/** One draft on its way to an entry, and what the service has acknowledged of it. */
class Submission {
  readonly id = randomUUID();
  readonly content = randomBytes(fileBytes);
  readonly title = `Submitted ${this.id}`;
  isStored = false;
  received = 0;
  entryId: number | undefined;

  constructor(private readonly base: () => string) {}

  /** Continues from what the service has acknowledged; rejects when the connection fails. */
  async finish(): Promise<void> {
    if (!this.isStored) {
      // A repetition of the same content changes nothing.
      expectOk(await this.send(`/drafts/${this.id}`, { method: 'PUT', json: { title: this.title } }));
      this.isStored = true;
    }
    while (this.received < fileBytes) await this.sendPart();
    const submitted = await this.submit();
    expectOk(submitted);
    this.entryId = submitted.body.id;
  }

  submit(): Promise<Answer> {
    const json = { title: this.title, logbooks: [{ name: 'operations' }] };
    const headers = { 'idempotency-key': this.id };
    return this.send(`/logs?draft=${this.id}`, { method: 'PUT', json, headers });
  }

  private async sendPart(): Promise<void> {
    const start = this.received;
    const end = start + partBytes;
    const part = await this.send(`${this.filePath}?filename=data.bin`, {
      method: 'PUT',
      body: this.content.subarray(start, end),
      headers: { 'content-range': `bytes ${start}-${end - 1}/${fileBytes}` },
    });
    expect([200, 202], part.text).toContain(part.status);
    this.received = part.body.received;
  }

  /** Checks after a restart that nothing acknowledged is lost, and that there is a draft or an entry, never both. */
  async check(entries: ReadonlyMap<string, Entry[]>): Promise<void> {
    const stored = entries.get(this.title) ?? [];
    const draft = await this.send(`/drafts/${this.id}`);
    if (stored.length > 0) {
      expect(stored).toHaveLength(1);
      expect(draft.status, 'an entry and its draft').toBe(404);
      const checksum = createHash('sha256').update(this.content).digest('hex');
      expect(stored[0]?.attachments).toMatchObject([{ id: this.id, checksum, size: fileBytes }]);
      return;
    }
    expect(this.entryId, 'an acknowledged entry is lost').toBeUndefined();
    if (!this.isStored) return;
    expect(draft.body, 'an acknowledged draft is lost').toEqual({ title: this.title });
    const file = await this.send(this.filePath);
    const received = file.status === 404 ? 0 : file.body.received;
    expect(received, 'an acknowledged part is lost').toBeGreaterThanOrEqual(this.received);
    this.received = received;
    if (received === fileBytes && !file.body.complete) {
      const headers = { 'content-range': `bytes */${fileBytes}` };
      expectOk(await this.send(this.filePath, { method: 'PUT', headers }));
    }
  }

  private get filePath(): string {
    return `/drafts/${this.id}/attachments/${this.id}`;
  }

  private send(path: string, more?: CallOptions): Promise<Answer> {
    return call(`${this.base()}${path}`, more);
  }
}

function expectOk(answer: Answer): void {
  expect(answer.status, answer.text).toBe(200);
}

async function entriesByTitle(base: string): Promise<Map<string, Entry[]>> {
  const all = new Map<string, Entry[]>();
  for (let from = 0; ; from += 1_000) {
    const { body } = await call(`${base}/logs?size=1000&from=${from}&sort=up`);
    for (const entry of body as Entry[]) all.set(entry.title, [...(all.get(entry.title) ?? []), entry]);
    if (body.length < 1_000) return all;
  }
}

test('kill -9 loses neither a draft, nor a part of its file, nor its entry, and stores none twice', async () => {
  const seed = process.env.LOGBOOK_TEST_SEED ?? String(Date.now());
  const random = new Random(seed);
  const dataDir = await makeTempDir();
  let logbook = await LogbookProcess.start(dataDir, options);
  const base = () => logbook.base;
  let open: Submission[] = [];
  const done: Submission[] = [];
  try {
    for (let round = 1; round <= rounds; round += 1) {
      while (open.length < writers) open.push(new Submission(base));
      const killing = setTimeout(() => logbook.signal('SIGKILL'), random.magnitude(5, 1_500));
      const results = await Promise.allSettled(open.map((submission) => submission.finish()));
      clearTimeout(killing);
      logbook.signal('SIGKILL');
      await logbook.exit();
      const wrong = results.filter((one) => one.status === 'rejected' && !(one.reason instanceof TypeError));
      expect(wrong).toEqual([]);
      logbook = await LogbookProcess.start(dataDir, options);
      const entries = await entriesByTitle(logbook.base);
      for (const submission of open) await submission.check(entries);
      done.push(...open.filter(({ entryId }) => entryId !== undefined));
      open = open.filter(({ entryId }) => entryId === undefined);
    }
    for (const submission of open) if (!(await entriesByTitle(base())).has(submission.title)) await submission.finish();
    const entries = await entriesByTitle(logbook.base);
    for (const submission of [...open, ...done]) {
      // The key still leads to the only entry.
      const again = await submission.submit();
      expect(again.body.id).toBe(entries.get(submission.title)?.[0]?.id);
    }
    expect((await entriesByTitle(logbook.base)).size).toBe(open.length + done.length);
    expect((await call(`${logbook.base}/drafts`)).body).toEqual([]);
    expect(await logbook.stop()).toBe(0);
    await checkDataDir(dataDir);
    await rm(dataDir, { recursive: true });
  } catch (error) {
    throw new Error(
      `seed ${seed}, data kept in ${dataDir}: ${(error as Error).message}\n${logbook.errors.slice(-4_000)}`,
      {
        cause: error,
      },
    );
  } finally {
    await logbook.stop('SIGKILL');
  }
});
