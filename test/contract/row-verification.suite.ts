import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { textRenewalJob } from '../../src/attachments/text-renewal-job.js';
import type { VerifiedRows } from '../../src/entries/row-verification.port.js';
import { rowVerificationJob } from '../../src/entries/row-verification-job.js';
import type { Integrity } from '../../src/kernel/integrity.js';
import { attachment, entryDraft } from '../fixtures/entries.js';
import { silentJobs, silentLog } from '../fixtures/log.js';
import type { OpenStorage, StorageEngine } from './storage.suite.js';

/** A storage whose tables can be changed as a disk changes them. */
export interface OpenAlterable extends OpenStorage {
  readonly integrity: Integrity;
  runSql(sql: string): Promise<void>;
}

const change = { kind: 'created', entryId: 1, revision: 1, notify: true, atMs: 1_700_000_000_000 } as const;
const text = 'Ünïcode 🚀 of the beam dump';

/** Requirements of every storage to notice damage in rows that contain no document. */
export function checkedRowsSuite({ open, supports }: StorageEngine<OpenAlterable>): void {
  const testOfJob = (name: string, run: () => Promise<void>) => {
    if (supports.rowVerification) test(name, run);
  };
  let opened: OpenAlterable;
  beforeEach(async () => {
    opened = await open();
  });
  afterEach(() => opened.destroy());
  const write: OpenStorage['storage']['write'] = (work) => opened.storage.write(work);
  const committed = () => opened.storage.committed;

  async function withText(checksum: string, found: string): Promise<number> {
    const file = attachment({ id: checksum, checksum, contentType: 'text/plain' });
    const { id } = await write(async (tx) => {
      await tx.attachments.insert(file);
      return tx.entries.insert(entryDraft({ attachments: [file] }));
    });
    await write((tx) => tx.attachments.storeText(checksum, found));
    return id;
  }
  const indexedTexts = async (id: number) =>
    (await committed().entryWrites.findSearchable(id))?.attachmentTexts ?? expect.fail();
  const runJob = (job: ReturnType<typeof textRenewalJob>) => silentJobs().start(job).runNow();
  const verified = () => opened.storage.rowVerification ?? expect.fail('no rows are verified');
  const verifyAll = async (nowMs = 1) => {
    await runJob(rowVerificationJob({ storage: verified(), log: silentLog, clock: { nowMs: () => nowMs } }, 0, 0));
  };
  const unrecorded = async (rows: VerifiedRows) =>
    (await verified().committed.rowVerification.verify(rows, undefined)).unrecorded;

  describe('a text extracted from a file', () => {
    test.each(['plain', text, `${'\ud83d'} and \0`, ''])('is intact as it was stored: %j', async (found) => {
      const id = await withText('one', found);
      if (supports.rowVerification) await verifyAll();
      expect(await indexedTexts(id)).toEqual([found.toWellFormed().replaceAll('\0', '\ufffd')]);
      expect(opened.integrity.subjects('extracted-text')).toEqual([]);
    });

    test('with a flipped bit is never searched, is reported, and is extracted again for its entries', async () => {
      const id = await withText('one', text);
      await opened.runSql("UPDATE file_text SET text = replace(text, 'beam', 'beal')");
      expect(await indexedTexts(id)).toEqual(['']);
      expect(opened.integrity.subjects('extracted-text')).toEqual(['one']);
      const renewal = () => runJob(textRenewalJob({ storage: opened.storage, integrity: opened.integrity }));
      await renewal();
      const queued = await committed().attachments.listUnextracted('', 9);
      expect(queued).toMatchObject([{ checksum: 'one', contentType: 'text/plain', attempts: 0 }]);
      expect(opened.integrity.subjects('extracted-text')).toEqual(['one']);
      const position = await committed().entryWrites.newestPosition();
      await write((tx) => tx.attachments.storeText('one', text));
      expect(await committed().entryWrites.listAfter(position, 9)).toMatchObject([{ id }]);
      await renewal();
      expect(opened.integrity.subjects('extracted-text')).toEqual([]);
      expect(await indexedTexts(id)).toEqual([text]);
    });

    testOfJob('a reason that was altered is noticed, too', async () => {
      const file = attachment({ id: 'bad', checksum: 'bad', contentType: 'text/plain' });
      await write(async (tx) => {
        await tx.attachments.insert(file);
        await tx.entries.insert(entryDraft({ attachments: [file] }));
      });
      await write((tx) => tx.attachments.markUnreadable('bad', 'is a bomb'));
      await opened.runSql("UPDATE file_text SET failure = 'is a bond'");
      await verifyAll();
      expect(opened.integrity.subjects('extracted-text')).toEqual(['bad']);
    });

    test('that is intact, or was removed, is not extracted again', async () => {
      await withText('one', text);
      expect(await write((tx) => tx.attachments.renewText('one'))).toBe('intact');
      expect(await write((tx) => tx.attachments.renewText('another'))).toBe('none');
      expect(await committed().attachments.listUnextracted('', 9)).toEqual([]);
    });
  });

  describe('a change', () => {
    test.each([
      ['entry_id = 2', 'entry_id = 1'],
      ['version = 3', 'version = 1'],
      ["kind = 'edited'", "kind = 'created'"],
      ['at_ms = 5', 'at_ms > 5'],
      ['notify = NOT notify', 'version = 1'],
    ])('whose row was altered to %s is reported, and nothing of it but its position is given', async (altered, of) => {
      await write((tx) => tx.feed.append(change));
      await write((tx) => tx.feed.append(change));
      const [first, second] = await committed().feed.listAfter(0, 9);
      await opened.runSql(`UPDATE change SET ${altered} WHERE ${of} AND sequence = ${first?.sequence}`);
      expect(await committed().feed.listAfter(0, 9)).toEqual([{ kind: 'damaged', sequence: first?.sequence }, second]);
      expect(opened.integrity.subjects('change')).toEqual([`change ${first?.sequence}`]);
    });

    testOfJob('that no client reads is found by the job', async () => {
      await write((tx) => tx.feed.append(change));
      await opened.runSql('UPDATE change SET entry_id = 2');
      await verifyAll();
      expect(opened.integrity.subjects('change')).toHaveLength(1);
    });
  });

  testOfJob(
    'rows of an earlier version are read, get their checksums, and are noticed when they change afterwards',
    async () => {
      const count = 1_200;
      const id = await withText('one', text);
      await write(async (tx) => {
        for (let at = 0; at < count; at++) await tx.feed.append(change);
      });
      await opened.runSql('UPDATE change SET crc = NULL; UPDATE file_text SET crc = NULL');
      expect(await indexedTexts(id)).toEqual([text]);
      expect(await committed().feed.listAfter(0, 1)).toMatchObject([change]);
      expect([(await unrecorded('texts')).length, (await unrecorded('changes')).length]).toEqual([1, 500]);
      await verifyAll();
      expect([await unrecorded('texts'), await unrecorded('changes')]).toEqual([[], []]);
      expect(opened.integrity.list().filter(([, found]) => found > 0)).toEqual([]);
      await opened.runSql('UPDATE change SET version = 2; UPDATE file_text SET text = text || 1');
      // The next pass begins a week later, and not before.
      await verifyAll(1_000);
      expect(opened.integrity.subjects('change')).toEqual([]);
      await verifyAll(8 * 86_400_000);
      expect(opened.integrity.subjects('change')).toHaveLength(count);
      expect(opened.integrity.subjects('extracted-text')).toEqual(['one']);
    },
  );

  testOfJob(
    'a change of an earlier version that is no change gets no checksum that would make it look intact',
    async () => {
      await write((tx) => tx.feed.append(change));
      await opened.runSql("UPDATE change SET crc = NULL, kind = 'crfated'");
      await verifyAll();
      expect(await unrecorded('changes')).toHaveLength(1);
      expect(await committed().feed.listAfter(0, 9)).toMatchObject([{ kind: 'damaged' }]);
    },
  );
}
