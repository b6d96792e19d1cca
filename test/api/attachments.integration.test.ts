import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/engines/sqlite/database/open-database.js';
import { newestChange } from '../fixtures/newest-change.js';
import { openSocket, rawPart, rawRequest, sendRaw } from '../fixtures/raw-http.js';
import { entryForm, type FormFile, TestService } from '../fixtures/service.js';
import { storedFiles } from '../fixtures/stored-files.js';

const sha256 = (content: Uint8Array | string) => createHash('sha256').update(content).digest('hex');
const png = Buffer.from('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489', 'hex');
const heic = Buffer.concat([
  Buffer.from('0000001c', 'hex'),
  Buffer.from('ftypheic'),
  Buffer.alloc(4),
  Buffer.from('mif1heic'),
]);
const heicInIsom = Buffer.concat([
  Buffer.from('0000001c', 'hex'),
  Buffer.from('ftypisom'),
  Buffer.alloc(4),
  Buffer.from('isomheic'),
]);
const heicAfterFree = Buffer.concat([Buffer.from('00000010', 'hex'), Buffer.from('free'), Buffer.alloc(8), heic]);
const mif2 = Buffer.concat([
  Buffer.from('00000018', 'hex'),
  Buffer.from('ftypmif2'),
  Buffer.alloc(4),
  Buffer.from('mif2'),
]);
const mif1InIsom = Buffer.concat([
  Buffer.from('00000018', 'hex'),
  Buffer.from('ftypisom'),
  Buffer.alloc(4),
  Buffer.from('isommif1'),
]);
const longBox = Buffer.concat([
  Buffer.from('00000001', 'hex'),
  Buffer.from('ftyp'),
  Buffer.from('0000000000000020', 'hex'),
  Buffer.from('heic'),
  Buffer.alloc(4),
  Buffer.from('mif1heic'),
]);
const avif = Buffer.concat([
  Buffer.from('0000001c', 'hex'),
  Buffer.from('ftypavif'),
  Buffer.alloc(4),
  Buffer.from('avifmif1'),
]);

const entry = (attachments?: object[], fields: object = {}) => ({
  title: 'With files',
  logbooks: [{ name: 'operations' }],
  ...(attachments && { attachments }),
  ...fields,
});

describe('attachments over HTTP', () => {
  let logbook: TestService;
  beforeAll(async () => {
    logbook = await TestService.start({ maxFileSize: '100kB', maxRequestSize: '300kB', maxEntrySize: '50kB' });
  });
  afterAll(async () => {
    await logbook.stop();
  });

  const download = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${logbook.base}${path}`, { headers });
    return { status: response.status, headers: response.headers, content: Buffer.from(await response.arrayBuffer()) };
  };
  const byName = (id: number, name: string) => download(`/logs/attachments/${id}/${encodeURIComponent(name)}`);
  const state = async () => ({
    entries: (await logbook.search('size=0')).hitCount,
    change: await newestChange(logbook),
    // Nodes move refused files to the quarantine, because another node may be about to refer to them.
    files: await storedFiles(logbook.attachmentsDir, { quarantined: TestService.cluster === undefined }),
  });

  async function expectRefusal(send: () => Promise<{ status: number; text: string }>, status: number, code: string) {
    const before = await state();
    const answer = await send();
    expect({ status: answer.status, body: JSON.parse(answer.text) }).toMatchObject({ status, body: { status, code } });
    expect(await state()).toEqual(before);
    expect(before.files.incoming).toEqual([]);
  }

  describe('create', () => {
    test('200: the response lists the attachments, and each file is returned byte for byte', async () => {
      const notes = randomBytes(70_000);
      const answer = await logbook.sendForm(
        'PUT',
        entry([
          { id: 'my-id-1', filename: 'image.png' },
          { filename: 'notes.bin', fileMetadataDescription: 'raw data' },
        ]),
        [
          { name: 'image.png', content: png },
          { name: 'notes.bin', content: notes },
        ],
      );
      expect(answer.status).toBe(200);
      expect(answer.body.attachments).toEqual([
        {
          id: 'my-id-1',
          filename: 'image.png',
          fileMetadataDescription: 'image/png',
          size: png.length,
          contentType: 'image/png',
          checksum: sha256(png),
          width: 1,
          height: 1,
        },
        {
          id: expect.stringMatching(/^[0-9a-f-]{36}$/),
          filename: 'notes.bin',
          fileMetadataDescription: 'raw data',
          size: notes.length,
          contentType: 'application/octet-stream',
          checksum: sha256(notes),
        },
      ]);
      expect((await logbook.get(`/logs/${answer.body.id}`)).body).toEqual(answer.body);
      expect((await download('/attachment/my-id-1')).content).toEqual(png);
      expect((await byName(answer.body.id, 'notes.bin')).content).toEqual(notes);
    });

    test('200: neither files nor a list of them are required', async () => {
      for (const body of [entry(), entry([])]) {
        expect(await logbook.sendForm('PUT', body, [])).toMatchObject({ status: 200, body: { attachments: [] } });
      }
    });

    test('a second image.png does not make the first one vanish', async () => {
      const files = [randomBytes(100), randomBytes(100)];
      const ids: number[] = [];
      for (const content of files) {
        const answer = await logbook.sendForm('PUT', entry([{ filename: 'image.png' }]), [
          { name: 'image.png', content },
        ]);
        ids.push(answer.body.id);
      }
      for (const [index, id] of ids.entries()) expect((await byName(id, 'image.png')).content).toEqual(files[index]);
    });

    test('names that differ only in case are two files', async () => {
      const answer = await logbook.sendForm('PUT', entry([{ filename: 'a.txt' }, { filename: 'A.TXT' }]), [
        { name: 'A.TXT', content: 'upper' },
        { name: 'a.txt', content: 'lower' },
      ]);
      expect(String((await byName(answer.body.id, 'a.txt')).content)).toBe('lower');
      expect(String((await byName(answer.body.id, 'A.TXT')).content)).toBe('upper');
    });

    test.each([
      ['quotes and spaces', 'a "quoted" name.txt'],
      ['other scripts', 'größe 測定 €.txt'],
      ['255 bytes', `${'ü'.repeat(125)}a.txt`],
      ['percent signs', '100%25.txt'],
      ['no letters', '...x'],
    ])('a file name with %s is kept', async (_case, filename) => {
      const answer = await logbook.sendForm('PUT', entry([{ filename }]), [{ name: filename, content: 'x' }]);
      expect(answer).toMatchObject({ status: 200, body: { attachments: [{ filename }] } });
      const file = await byName(answer.body.id, filename);
      expect(file.status).toBe(200);
      expect(file.headers.get('content-disposition')).not.toMatch(/[\r\n]/);
    });

    test('the same content under two ids is two attachments', async () => {
      const answer = await logbook.sendForm('PUT', entry([{ filename: 'one' }, { filename: 'two' }]), [
        { name: 'one', content: 'same' },
        { name: 'two', content: 'same' },
      ]);
      const [one, two] = answer.body.attachments;
      expect(one.id).not.toBe(two.id);
      expect(one.checksum).toBe(two.checksum);
    });

    test('Idempotency-Key: a repeated upload stores nothing twice', async () => {
      const send = () =>
        logbook.call('/logs/multipart', {
          method: 'PUT',
          body: entryForm(entry([{ id: 'idem', filename: 'x' }]), [{ name: 'x', content: 'x' }]),
          headers: { 'idempotency-key': 'upload' },
        });
      const first = await send();
      const before = await state();
      expect((await send()).body).toEqual(first.body);
      expect(await state()).toEqual(before);
    });

    const one: FormFile[] = [{ name: 'a.txt', content: 'a' }];
    test.each<[string, unknown, FormFile[], number, string]>([
      ['a file without attachment', entry([]), one, 400, 'attachment.unmatched-file'],
      ['a file without a list', entry(), one, 400, 'attachment.unmatched-file'],
      ['an attachment without file', entry([{ filename: 'b.txt' }]), [], 400, 'attachment.file-missing'],
      ['names that do not meet', entry([{ filename: 'b.txt' }]), one, 400, 'attachment.file-missing'],
      ['names that differ by case', entry([{ filename: 'A.txt' }]), one, 400, 'attachment.file-missing'],
      [
        'one name for two',
        entry([{ filename: 'a.txt' }, { filename: 'a.txt' }]),
        one,
        400,
        'attachment.duplicate-filename',
      ],
      ['two files of one name', entry([{ filename: 'a.txt' }]), [...one, ...one], 400, 'attachment.duplicate-filename'],
      [
        'one id for two',
        entry([
          { id: 'i', filename: 'a.txt' },
          { id: 'i', filename: 'b.txt' },
        ]),
        one,
        400,
        'attachment.duplicate-id',
      ],
      ['an id that is taken', entry([{ id: 'my-id-1', filename: 'a.txt' }]), one, 409, 'attachment.id-taken'],
      ['HEIF of another brand', entry([{ filename: 'a' }]), [{ name: 'a', content: mif2 }], 400, 'attachment.heic'],
      [
        'HEIF in a video',
        entry([{ filename: 'a.mp4' }]),
        [{ name: 'a.mp4', content: mif1InIsom }],
        400,
        'attachment.heic',
      ],
      [
        'HEIC in a long box',
        entry([{ filename: 'a.jpg' }]),
        [{ name: 'a.jpg', content: longBox }],
        400,
        'attachment.heic',
      ],
      ['an id that leads up', entry([{ id: '..', filename: 'a.txt' }]), one, 400, 'attachment.bad-id'],
      ['an id with a path', entry([{ id: '../x', filename: 'a.txt' }]), one, 400, 'attachment.bad-id'],
      [
        'an unknown logbook',
        entry([{ filename: 'a.txt' }], { logbooks: [{ name: 'nowhere' }] }),
        one,
        400,
        'entry.unknown-logbook',
      ],
      [
        'no title',
        { logbooks: [{ name: 'operations' }], attachments: [{ filename: 'a.txt' }] },
        one,
        400,
        'request.invalid',
      ],
      ['attachments as text', entry(undefined, { attachments: 'a.txt' }), one, 400, 'request.invalid'],
      [
        'HEIC under its name',
        entry([{ filename: 'a.heic' }]),
        [{ name: 'a.heic', content: heic }],
        400,
        'attachment.heic',
      ],
      ['HEIC as PNG', entry([{ filename: 'a.png' }]), [{ name: 'a.png', content: heic }], 400, 'attachment.heic'],
      [
        'HEIC by a compatible brand',
        entry([{ filename: 'a.mp4' }]),
        [{ name: 'a.mp4', content: heicInIsom }],
        400,
        'attachment.heic',
      ],
      [
        'HEIC behind another box',
        entry([{ filename: 'a' }]),
        [{ name: 'a', content: heicAfterFree }],
        400,
        'attachment.heic',
      ],
      [
        'a good file next to a HEIC',
        entry([{ filename: 'a.txt' }, { filename: 'b' }]),
        [...one, { name: 'b', content: heic }],
        400,
        'attachment.heic',
      ],
      [
        'a file over the limit',
        entry([{ filename: 'big' }]),
        [{ name: 'big', content: Buffer.alloc(102_401) }],
        413,
        'attachment.too-large',
      ],
      [
        'a file name with a path',
        entry([{ filename: '../../a.txt' }]),
        [{ name: '../../a.txt', content: 'x' }],
        400,
        'attachment.bad-filename',
      ],
      [
        'a file name with a DOS path',
        entry([{ filename: 'C:\\a.txt' }]),
        [{ name: 'C:\\a.txt', content: 'x' }],
        400,
        'attachment.bad-filename',
      ],
      [
        'a file name with line breaks',
        entry([{ filename: 'a\r\nb' }]),
        [{ name: 'a\r\nb', content: 'x' }],
        400,
        'attachment.bad-filename',
      ],
      [
        'a file name of 256 bytes',
        entry([{ filename: 'a'.repeat(256) }]),
        [{ name: 'a'.repeat(256), content: 'x' }],
        400,
        'attachment.bad-filename',
      ],
      ['an entry over the limit', entry([], { description: 'x'.repeat(60_000) }), [], 413, 'request.too-large'],
    ])('refused, nothing stored, no file left: %s', async (_case, body, files, status, code) => {
      await expectRefusal(() => logbook.sendForm('PUT', body, files), status, code);
    });

    test('413: a request over the limit, with the limit in the message', async () => {
      const names = ['1', '2', '3', '4'];
      const files = names.map((name) => ({ name, content: Buffer.alloc(90_000) }));
      await expectRefusal(
        () => logbook.sendForm('PUT', entry(names.map((filename) => ({ filename }))), files),
        413,
        'request.too-large',
      );
    });

    test('400 attachment.too-many: more than a thousand', async () => {
      const many = Array.from({ length: 1_001 }, (_, index) => ({ filename: `file ${index}` }));
      await expectRefusal(() => logbook.sendForm('PUT', entry(many), []), 400, 'attachment.too-many');
    });

    test('AVIF is accepted', async () => {
      const answer = await logbook.sendForm('PUT', entry([{ filename: 'a.avif' }]), [
        { name: 'a.avif', content: avif },
      ]);
      expect(answer).toMatchObject({ status: 200, body: { attachments: [{ contentType: 'image/avif' }] } });
    });

    test('415: another content type', async () => {
      await expectRefusal(() => logbook.put('/logs/multipart', entry()), 415, 'request.content-type');
      await expectRefusal(
        () => logbook.call('/logs', { method: 'PUT', body: entryForm(entry(), []) }),
        415,
        'request.content-type',
      );
    });

    test('401: no credentials; nothing of the body is stored', async () => {
      const send = () =>
        logbook.call('/logs/multipart', {
          method: 'PUT',
          as: null,
          body: entryForm(entry([{ filename: 'a.txt' }]), one),
        });
      await expectRefusal(send, 401, 'auth.sign-in-required');
    });
  });

  describe('forms as they occur', () => {
    const boundary = 'b';
    const json = Buffer.from(JSON.stringify(entry([{ filename: 'größe.txt' }])));
    const entryPart = rawPart(
      boundary,
      ['Content-Disposition: form-data; name="logEntry"', 'Content-Type: application/json'],
      json,
    );
    const filePart = rawPart(
      boundary,
      ['Content-Disposition: form-data; name="files"; filename="größe.txt"'],
      'content',
    );
    const send = (
      parts: readonly Uint8Array[],
      last = `--${boundary}--\r\n`,
      type = `multipart/form-data; boundary=${boundary}`,
    ) => {
      const body = Buffer.concat([...parts, Buffer.from(last)]);
      return sendRaw(logbook.origin, [
        rawRequest(
          'PUT',
          '/logbook/logs/multipart',
          { 'content-type': type, 'content-length': String(body.length) },
          body,
        ),
      ]);
    };

    test.each<[string, () => ReturnType<typeof send>]>([
      ['the entry first', () => send([entryPart, filePart])],
      ['the files first', () => send([filePart, entryPart])],
      ['no line break at the end', () => send([entryPart, filePart], `--${boundary}--`)],
      [
        'the entry as a file named blob',
        () =>
          send([
            rawPart(
              boundary,
              ['Content-Disposition: form-data; name="logEntry"; filename="blob"', 'Content-Type: application/json'],
              json,
            ),
            filePart,
          ]),
      ],
      [
        'an unexpected part',
        () => send([rawPart(boundary, ['Content-Disposition: form-data; name="more"'], 'x'), entryPart, filePart]),
      ],
      [
        'an empty choice of a browser',
        () =>
          send([
            entryPart,
            filePart,
            rawPart(
              boundary,
              ['Content-Disposition: form-data; name="files"; filename=""', 'Content-Type: application/octet-stream'],
              '',
            ),
          ]),
      ],
    ])('200: %s', async (_case, sent) => {
      const answer = await sent();
      expect({ status: answer.status, body: JSON.parse(answer.text) }).toMatchObject({
        status: 200,
        body: { attachments: [{ filename: 'größe.txt', size: 7 }] },
      });
    });

    test('200: a boundary of more than 70 characters', async () => {
      const long = 'x'.repeat(120);
      const parts = [
        rawPart(
          long,
          ['Content-Disposition: form-data; name="logEntry"', 'Content-Type: application/json'],
          JSON.stringify(entry()),
        ),
      ];
      expect((await send(parts, `--${long}--\r\n`, `multipart/form-data; boundary="${long}"`)).status).toBe(200);
    });

    test.each<[string, () => ReturnType<typeof send>, string]>([
      ['no entry', () => send([filePart]), 'multipart.missing-entry'],
      [
        'an empty entry',
        () => send([rawPart(boundary, ['Content-Disposition: form-data; name="logEntry"'], '')]),
        'multipart.missing-entry',
      ],
      [
        'an entry that is no JSON',
        () => send([rawPart(boundary, ['Content-Disposition: form-data; name="logEntry"'], '{'), filePart]),
        'request.malformed-json',
      ],
      [
        'an entry in Latin-1',
        () =>
          send([
            rawPart(
              boundary,
              ['Content-Disposition: form-data; name="logEntry"'],
              Buffer.from('{"title":"\xe4"}', 'latin1'),
            ),
          ]),
        'request.malformed-json',
      ],
      ['two entries', () => send([entryPart, entryPart, filePart]), 'multipart.malformed'],
      [
        'a file part without file name',
        () => send([entryPart, rawPart(boundary, ['Content-Disposition: form-data; name="files"'], 'x')]),
        'multipart.malformed',
      ],
      [
        'a nameless part',
        () => send([entryPart, rawPart(boundary, ['Content-Disposition: form-data; filename="x"'], 'x')]),
        'multipart.malformed',
      ],
      ['a boundary that never comes', () => send([entryPart, filePart], '--other--\r\n'), 'multipart.malformed'],
      [
        'a wrong boundary',
        () => send([entryPart], undefined, 'multipart/form-data; boundary=other'),
        'multipart.malformed',
      ],
      ['no boundary', () => send([entryPart], undefined, 'multipart/form-data'), 'multipart.malformed'],
      ['nothing at all', () => send([], ''), 'multipart.malformed'],
    ])('400, nothing stored, no file left: %s', async (_case, sent, code) => {
      const before = await state();
      const answer = await sent();
      expect({ status: answer.status, body: JSON.parse(answer.text) }).toMatchObject({ status: 400, body: { code } });
      expect(await state()).toEqual(before);
    });

    test('an aborted upload leaves nothing behind', async () => {
      const before = await state();
      const body = Buffer.concat([filePart, entryPart]);
      const head = { 'content-type': `multipart/form-data; boundary=${boundary}`, 'content-length': '100000' };
      const socket = openSocket(logbook.origin);
      await new Promise<void>((resolve) => {
        socket.write(rawRequest('PUT', '/logbook/logs/multipart', head, body), () => resolve());
      });
      // The file is being received; then the line breaks.
      await expect.poll(async () => (await storedFiles(logbook.attachmentsDir)).incoming.length).toBeGreaterThan(0);
      socket.resetAndDestroy();
      await expect.poll(state).toEqual(before);
    });
  });

  describe('update', () => {
    const make = async () => {
      const answer = await logbook.sendForm(
        'PUT',
        entry([
          { id: randomUUID(), filename: 'a.txt' },
          { id: randomUUID(), filename: 'b.txt' },
        ]),
        [
          { name: 'a.txt', content: 'a' },
          { name: 'b.txt', content: 'b' },
        ],
      );
      return answer.body;
    };

    test('200: new attachments are added, listed ones stay, omitted ones are removed; the previous version is archived', async () => {
      const before = await make();
      const [kept, removed] = before.attachments;
      const answer = await logbook.sendForm(
        'POST',
        entry([kept, { id: randomUUID(), filename: 'c.txt' }], { id: before.id }),
        [{ name: 'c.txt', content: 'c' }],
      );
      expect(answer.status).toBe(200);
      expect(answer.body.attachments.map(({ filename }: { filename: string }) => filename)).toEqual(['a.txt', 'c.txt']);
      expect((await logbook.get(`/logs/archived/${before.id}`)).body.logs).toEqual([before]);
      expect(String((await download(`/attachment/${removed.id}`)).content)).toBe('b');
      expect(String((await byName(before.id, 'b.txt')).content)).toBe('b');
    });

    test('without a list the attachments stay; an empty list removes them', async () => {
      const before = await make();
      const stay = await logbook.sendForm('POST', entry(undefined, { id: before.id }), []);
      expect(stay.body.attachments).toEqual(before.attachments);
      const gone = await logbook.sendForm('POST', entry([], { id: before.id }), []);
      expect(gone.body.attachments).toEqual([]);
    });

    test('a second file with the same name: both are kept', async () => {
      const before = await make();
      const answer = await logbook.sendForm(
        'POST',
        entry([...before.attachments, { filename: 'a.txt' }], { id: before.id }),
        [{ name: 'a.txt', content: 'another' }],
      );
      const same = answer.body.attachments.filter(({ filename }: { filename: string }) => filename === 'a.txt');
      expect(same).toHaveLength(2);
      expect(String((await download(`/attachment/${same[0].id}`)).content)).toBe('a');
      expect(String((await download(`/attachment/${same[1].id}`)).content)).toBe('another');
    });

    test('an attachment in the repository can be referred to from another entry', async () => {
      const [source, target] = [await make(), await make()];
      const answer = await logbook.sendForm('POST', entry([source.attachments[0]], { id: target.id }), []);
      expect(answer.body.attachments).toEqual([source.attachments[0]]);
    });

    test('an update without files leaves them as they are', async () => {
      const before = await make();
      const answer = await logbook.post(`/logs/${before.id}`, entry([]));
      expect(answer.body.attachments).toEqual(before.attachments);
    });

    test.each<[string, (before: { id: number; attachments: object[] }) => unknown, FormFile[], number, string]>([
      ['no id', () => entry([]), [], 400, 'entry.missing-id'],
      ['an invalid id', () => entry([], { id: 'x' }), [], 404, 'entry.not-found'],
      ['an unknown entry', () => entry([], { id: 424_242 }), [], 404, 'entry.not-found'],
      [
        'an attachment that is nowhere',
        (before) => entry([{ id: 'nowhere', filename: 'z' }], { id: before.id }),
        [],
        400,
        'attachment.file-missing',
      ],
      [
        'a file without attachment',
        (before) => entry(before.attachments, { id: before.id }),
        [{ name: 'z', content: 'z' }],
        400,
        'attachment.unmatched-file',
      ],
      [
        'a file for one that is there',
        (before) => entry(before.attachments, { id: before.id }),
        [{ name: 'a.txt', content: 'z' }],
        400,
        'attachment.unmatched-file',
      ],
      [
        'an unknown logbook',
        (before) => entry([{ filename: 'z' }], { id: before.id, logbooks: [{ name: 'nowhere' }] }),
        [{ name: 'z', content: 'z' }],
        400,
        'entry.unknown-logbook',
      ],
    ])('neither changed nor archived, no file left: %s', async (_case, body, files, status, code) => {
      const before = await make();
      await expectRefusal(() => logbook.sendForm('POST', body(before), files), status, code);
      expect((await logbook.get(`/logs/${before.id}`)).body).toEqual(before);
      expect((await logbook.get(`/logs/archived/${before.id}`)).body.hitCount).toBe(0);
    });

    test('412 for a stale If-Match: no file left', async () => {
      const before = await make();
      const send = () =>
        logbook.call('/logs/multipart', {
          method: 'POST',
          body: entryForm(entry([{ filename: 'z' }], { id: before.id }), [{ name: 'z', content: 'stale' }]),
          headers: { 'if-match': '"77"' },
        });
      await expectRefusal(send, 412, 'entry.version-mismatch');
    });
  });

  describe('one more file', () => {
    const add = (id: number | string, parts: Record<string, string | File>) => {
      const form = new FormData();
      for (const [name, value] of Object.entries(parts)) {
        if (typeof value === 'string') form.append(name, value);
        else form.append(name, value, value.name);
      }
      return logbook.call(`/logs/attachments/${id}`, { method: 'POST', body: form });
    };
    const file = (name: string, content = 'x') => new File([content], name);

    test.each<[string, Record<string, string | File>, string]>([
      ['its own name', { file: file('own.txt') }, 'own.txt'],
      ['a name as JSON', { file: file('own.txt'), filename: '"given.txt"' }, 'given.txt'],
      ['a name as bare text', { file: file('own.txt'), filename: 'given.txt' }, 'given.txt'],
      ['a bare text that begins like JSON', { file: file('own.txt'), filename: '{draft}.txt' }, '{draft}.txt'],
      ['a name in an object', { file: file('own.txt'), filename: '{"name":"given.txt"}' }, 'given.txt'],
      ['the name before the file', { filename: 'given.txt', file: file('own.txt') }, 'given.txt'],
    ])('200 with %s: the entry comes back, the version before is archived', async (_case, parts, filename) => {
      const before = await logbook.create();
      const answer = await add(before.id, parts);
      expect(answer).toMatchObject({
        status: 200,
        body: { id: before.id, attachments: [{ filename }], modifiedBy: 'user' },
      });
      expect((await logbook.get(`/logs/archived/${before.id}`)).body.logs).toEqual([before]);
    });

    test('id and description are stored', async () => {
      const { id } = await logbook.create();
      const answer = await add(id, { file: file('a'), id: 'chosen', fileMetadataDescription: 'a scan' });
      expect(answer.body.attachments).toMatchObject([{ id: 'chosen', fileMetadataDescription: 'a scan' }]);
    });

    test('the same name twice: both are kept', async () => {
      const { id } = await logbook.create();
      await add(id, { file: file('image.png', 'first') });
      const { body } = await add(id, { file: file('image.png', 'second') });
      const contents = await Promise.all(
        body.attachments.map(async (one: { id: string }) => String((await download(`/attachment/${one.id}`)).content)),
      );
      expect(contents).toEqual(['first', 'second']);
    });

    test.each<[string, Record<string, string | File>, number, string]>([
      ['no file', { filename: 'x' }, 400, 'attachment.exactly-one-file'],
      ['a file that is a text', { file: 'x' }, 400, 'multipart.malformed'],
      ['a name with a path', { file: file('a'), filename: 'a/b' }, 400, 'attachment.bad-filename'],
      ['a name that is a list', { file: file('a'), filename: '{"names":[]}' }, 400, 'multipart.malformed'],
      ['a HEIC image', { file: new File([heic], 'a.jpg') }, 400, 'attachment.heic'],
    ])('refused, nothing stored: %s', async (_case, parts, status, code) => {
      const { id } = await logbook.create();
      await expectRefusal(() => add(id, parts), status, code);
    });

    test('404: an unknown entry, nothing stored', async () => {
      await expectRefusal(() => add(424_242, { file: file('a') }), 404, 'entry.not-found');
    });
  });

  describe('download', () => {
    const store = async (filename: string, content: Uint8Array | string) => {
      const answer = await logbook.sendForm('PUT', entry([{ filename }]), [{ name: filename, content }]);
      return {
        id: answer.body.id as number,
        attachment: answer.body.attachments[0] as { id: string; checksum: string },
      };
    };

    test.each([
      ['image.png', png, 'image/png', 'inline'],
      ['page.html', '<script>alert(1)</script>', 'text/html; charset=utf-8', 'attachment'],
      ['drawing.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'image/svg+xml', 'attachment'],
      ['log.txt', 'plain', 'text/plain; charset=utf-8', 'inline'],
      ['data.csv', 'a,b', 'text/csv; charset=utf-8', 'attachment'],
      ['unknown', Buffer.from([0, 1, 2]), 'application/octet-stream', 'attachment'],
    ])(
      '%s is offered to save, as what it is; inline only where nothing can run',
      async (filename, content, type, inline) => {
        const { id, attachment } = await store(filename, content);
        for (const address of [`/attachment/${attachment.id}`, `/logs/attachments/${id}/${filename}`]) {
          for (const [query, disposition] of [
            ['', 'attachment'],
            ['?inline=false', 'attachment'],
            ['?inline=', 'attachment'],
            ['?inline=true', inline],
          ]) {
            const { headers } = await download(`${address}${query}`);
            expect(headers.get('content-type')).toBe(type);
            expect(headers.get('content-disposition')).toBe(`${disposition}; filename="${filename}"`);
            expect(headers.get('x-content-type-options')).toBe('nosniff');
            expect(headers.get('content-security-policy')).toMatch(/^sandbox;/);
          }
        }
      },
    );

    test('a file that edits removed is found by its name without reading any version', async () => {
      const { id } = await store('gone.txt', 'first');
      for (const content of ['second', 'third']) {
        const fields = { id, attachments: [{ filename: 'gone.txt' }] };
        const edited = await logbook.sendForm('POST', entry(undefined, fields), [{ name: 'gone.txt', content }]);
        expect(edited.status, edited.text).toBe(200);
      }
      expect((await logbook.sendForm('POST', entry([], { id }), [])).body.attachments).toEqual([]);
      const database = await openDatabase(join(logbook.dataDir, 'logbook.sqlite'), 'writer');
      database.run("UPDATE archived_entry SET document = 'not JSON' WHERE entry_id = ?", id);
      database.close();
      expect(String((await byName(id, 'gone.txt')).content)).toBe('third');
      expect((await logbook.get(`/logs/attachments/${id}/never.txt`)).body.code).toBe('attachment.not-found');
    });

    test('a range is sent alone; 416 for one outside the file', async () => {
      const { attachment } = await store('ten.txt', '0123456789');
      const path = `/attachment/${attachment.id}`;
      const part = await download(path, { range: 'bytes=2-4' });
      expect([part.status, String(part.content), part.headers.get('content-range')]).toEqual([
        206,
        '234',
        'bytes 2-4/10',
      ]);
      expect((await download(path, { range: 'bytes=20-' })).status).toBe(416);
      expect(String((await download(path, { range: 'bytes=-3' })).content)).toBe('789');
      expect((await download(path, { range: 'nonsense' })).status).toBe(200);
    });

    test('ETag is the checksum; If-None-Match leads to 304', async () => {
      const { attachment } = await store('e.txt', 'x');
      const etag = `"${attachment.checksum}"`;
      expect((await download(`/attachment/${attachment.id}`)).headers.get('etag')).toBe(etag);
      expect((await download(`/attachment/${attachment.id}`, { 'if-none-match': etag })).status).toBe(304);
      // Conditions are evaluated before the range (RFC 9110, 13.2.2).
      const beyond = { 'if-none-match': etag, range: 'bytes=20-' };
      expect((await download(`/attachment/${attachment.id}`, beyond)).status).toBe(304);
    });

    test('HEAD has the size and no body', async () => {
      const { attachment } = await store('h.txt', 'x');
      const answer = await logbook.call(`/attachment/${attachment.id}`, { method: 'HEAD' });
      expect([answer.status, answer.headers.get('content-length'), answer.text]).toEqual([200, '1', '']);
    });

    test('404: unknown id, unknown name, unknown entry', async () => {
      const { id } = await store('here.txt', 'x');
      for (const path of [
        '/attachment/nothing',
        `/logs/attachments/${id}/nothing`,
        '/logs/attachments/424242/here.txt',
      ]) {
        expect(await logbook.get(path)).toMatchObject({ status: 404, body: { status: 404 } });
      }
    });

    test('500 attachment.unreadable when the file is missing, with a requestId and no internals', async () => {
      const { attachment } = await store('lost.txt', 'lost');
      await rm(join(logbook.attachmentsDir, attachment.checksum.slice(0, 2), attachment.checksum));
      const answer = await logbook.get(`/attachment/${attachment.id}`);
      expect(answer).toMatchObject({
        status: 500,
        body: { code: 'attachment.unreadable', requestId: expect.any(String) },
      });
      expect(answer.text).not.toContain(logbook.attachmentsDir);
      for (const header of ['cache-control', 'etag', 'content-disposition'])
        expect(answer.headers.get(header)).toBeNull();
    });
  });
});
