import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import type { AccountKey } from '../../src/auth/accounts.js';
import { openForEachTest } from './open-for-each-test.js';
import type { OpenStorage, StorageEngine } from './storage.suite.js';

export function draftStoreSuite({ open }: StorageEngine): void {
  const { opened } = openForEachTest(open);
  const drafts = () => opened().storage.committed.drafts;
  const write: OpenStorage['storage']['write'] = (work) => opened().storage.write(work);
  const jane: AccountKey = { scheme: 'ldap', userName: 'jane' };
  const others: AccountKey[] = [
    { scheme: 'oidc', userName: 'jane' },
    { scheme: 'ldap', userName: 'mia' },
  ];
  const draft = (id: string, content: unknown = { title: id }, modifiedMs = 1) => ({
    id,
    json: Buffer.from(JSON.stringify(content)),
    title: id,
    modifiedMs,
  });
  const put = (id: string, content?: unknown, modifiedMs?: number, owner = jane) =>
    write((tx) => tx.drafts.put(owner, draft(id, content, modifiedMs)));
  const blob = (size = 1) => ({ checksum: randomBytes(32).toString('hex'), size });
  const fileOf = (fileId: string, owner = jane) => ({ owner, draftId: 'a', fileId });
  const begin = (draftId: string, id: string, size: number, owner = jane) =>
    write((tx) => tx.drafts.beginFile(owner, draftId, { id, filename: `${id}.txt`, size }, 5));

  describe('contents', () => {
    test('are found as they were stored by their account alone', async () => {
      await put('a', { title: 'ä', list: [1, null] });
      expect(JSON.parse(String(Buffer.from((await drafts().find(jane, 'a'))?.json ?? [])))).toEqual({
        title: 'ä',
        list: [1, null],
      });
      for (const other of others) {
        expect(await drafts().find(other, 'a')).toBeUndefined();
        expect(await drafts().list(other)).toEqual([]);
        expect(await write((tx) => tx.drafts.remove(other, 'a'))).toBe(false);
      }
      await put('a', 'of another', 1, others[0]);
      expect(await drafts().list(jane)).toHaveLength(1);
    });

    test('each change has another revision, also after the draft was removed', async () => {
      const first = await put('a', 1);
      const second = await put('a', 2);
      await write((tx) => tx.drafts.remove(jane, 'a'));
      const third = await put('a', 3);
      const revisions = [first, second, third].map(({ revision }) => revision);
      expect(new Set(revisions).size).toBe(3);
      expect((await drafts().find(jane, 'a'))?.revision).toBe(third.revision);
      expect(await drafts().findRevision(jane, 'a')).toBe(third.revision);
      expect(await drafts().findRevision(jane, 'b')).toBeUndefined();
    });

    test('are listed with their size and number of files, the last changed first', async () => {
      await put('a', 'x', 1);
      await put('b', 'yy', 3);
      const c = await put('c', null, 2);
      await begin('a', 'file', 10);
      expect(await drafts().list(jane)).toMatchObject([
        { id: 'a', title: 'a', size: 3, modifiedMs: 5, attachments: 1 },
        { id: 'b', size: 4, modifiedMs: 3, attachments: 0 },
        c,
      ]);
      expect(await drafts().measure(jane)).toEqual({ drafts: 3, files: 1, fileBytes: 10 });
      expect(await drafts().measure({ scheme: 'ldap', userName: 'none' })).toEqual({
        drafts: 0,
        files: 0,
        fileBytes: 0,
      });
    });

    test('are removed by their age with their files, the oldest first', async () => {
      for (const [at, id] of ['a', 'b', 'c'].entries()) await put(id, id, at + 1);
      await put('d', 'd', 1, others[1]);
      expect(await write((tx) => tx.drafts.removeBefore(3, 2))).toBe(2);
      expect(await write((tx) => tx.drafts.removeBefore(3, 2))).toBe(1);
      expect(await write((tx) => tx.drafts.removeBefore(3, 2))).toBe(0);
      expect((await drafts().list(jane)).map(({ id }) => id)).toEqual(['c']);
    });
  });

  describe('files', () => {
    beforeEach(() => put('a'));

    test('count what has arrived of their parts, in order, until they are complete', async () => {
      await begin('a', 'f', 7);
      const parts = [blob(3), blob(4)];
      for (const part of parts) await write((tx) => tx.drafts.addPart(fileOf('f'), part, 9));
      expect(await drafts().findFile(fileOf('f'))).toEqual({
        id: 'f',
        filename: 'f.txt',
        fileMetadataDescription: undefined,
        size: 7,
        received: 7,
        complete: undefined,
      });
      expect(await drafts().listParts(fileOf('f'))).toEqual(parts);
      const content = { checksum: blob().checksum, contentType: 'text/plain' };
      await write((tx) => tx.drafts.completeFile(fileOf('f'), content));
      expect(await drafts().findFile(fileOf('f'))).toMatchObject({ received: 7, complete: content });
      expect(await drafts().listParts(fileOf('f'))).toEqual([]);
      expect((await drafts().list(jane))[0]?.modifiedMs).toBe(9);
    });

    test('restart without what had arrived, at the same place', async () => {
      await begin('a', 'f', 7);
      await begin('a', 'g', 1);
      await write((tx) => tx.drafts.addPart(fileOf('f'), blob(3), 9));
      await begin('a', 'f', 8);
      expect(await drafts().listFiles(jane, 'a')).toMatchObject([
        { id: 'f', size: 8, received: 0 },
        { id: 'g', size: 1, received: 0 },
      ]);
    });

    test('are seen by their account alone, and stay when the content changes', async () => {
      await begin('a', 'f', 7);
      for (const other of others) {
        await put('a', 'theirs', 1, other);
        expect(await drafts().listFiles(other, 'a')).toEqual([]);
        expect(await drafts().findFile(fileOf('f', other))).toBeUndefined();
        expect(await write((tx) => tx.drafts.removeFile(fileOf('f', other)))).toBe(false);
        await write((tx) => tx.drafts.remove(other, 'a'));
      }
      await put('a', 'new');
      expect(await drafts().listFiles(jane, 'a')).toHaveLength(1);
      expect(await write((tx) => tx.drafts.removeFile(fileOf('f')))).toBe(true);
      expect(await write((tx) => tx.drafts.removeFile(fileOf('f')))).toBe(false);
    });

    test('cannot be begun in a draft that is not there', async () => {
      await expect(begin('none', 'f', 1)).rejects.toThrow();
      await expect(begin('a', 'f', 1, others[0])).rejects.toThrow();
    });

    test('their bytes and parts are referenced until the draft is removed, however that happens', async () => {
      const { attachments } = opened().storage.committed;
      const [part, whole] = [blob(), blob()];
      const all = [part.checksum, whole.checksum];
      const fill = async () => {
        await put('a', 'x', 1);
        await write(async (tx) => {
          await tx.drafts.beginFile(jane, 'a', { id: 'f', filename: 'f', size: 2 }, 1);
          await tx.drafts.addPart(fileOf('f'), part, 1);
          await tx.drafts.beginFile(jane, 'a', { id: 'g', filename: 'g', size: 1 }, 1);
          await tx.drafts.completeFile(fileOf('g'), { checksum: whole.checksum, contentType: '' });
        });
        expect([...(await attachments.referenced([...all, blob().checksum]))].sort()).toEqual(all.toSorted());
      };
      await fill();
      await write((tx) => tx.drafts.remove(jane, 'a'));
      expect([...(await attachments.referenced(all))]).toEqual([]);
      await fill();
      await write((tx) => tx.drafts.removeBefore(2, 10));
      expect([...(await attachments.referenced(all))]).toEqual([]);
      await fill();
      for (const id of ['f', 'g']) await write((tx) => tx.drafts.removeFile(fileOf(id)));
      expect([...(await attachments.referenced(all))]).toEqual([]);
    });
  });
}
