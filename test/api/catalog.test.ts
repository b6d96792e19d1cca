import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TestService } from '../fixtures/service.js';

describe('the catalogue over HTTP', () => {
  let logbook: TestService;
  beforeAll(async () => {
    logbook = await TestService.start();
  });
  afterAll(async () => {
    await logbook.stop();
  });

  const remove = (path: string) => logbook.call(path, { method: 'DELETE' });
  const names = async (path: string) => (await logbook.get(path)).body.map(({ name }: { name: string }) => name);

  test('an empty store starts with the built-in catalogue', async () => {
    expect(await names('/levels')).toEqual(['Info', 'Problem', 'Request', 'Suggestion', 'Urgent']);
    expect((await logbook.get('/levels/Info')).body).toEqual({ name: 'Info', defaultLevel: true });
    expect((await logbook.get('/logbooks')).body).toEqual([
      { name: 'controls', owner: 'admin', state: 'Active' },
      { name: 'operations', owner: 'admin', state: 'Active' },
    ]);
    expect((await logbook.get('/tags')).body).toEqual([{ name: 'alarm', state: 'Active' }]);
    expect((await logbook.get('/properties')).body).toEqual([
      {
        name: 'resource',
        owner: 'admin',
        state: 'Active',
        attributes: [
          { name: 'name', value: null, state: 'Active' },
          { name: 'file', value: null, state: 'Active' },
        ],
      },
    ]);
  });

  const kinds = [
    { kind: 'tags', input: {}, output: {} },
    { kind: 'logbooks', input: { owner: 'ops' }, output: { owner: 'ops' } },
    {
      kind: 'properties',
      input: { owner: 'ops', attributes: [{ name: 'a' }, { name: 'b', value: 'preset' }, { name: 'c', value: 1.5 }] },
      output: {
        owner: 'ops',
        attributes: [
          { name: 'a', value: null, state: 'Active' },
          { name: 'b', value: 'preset', state: 'Active' },
          { name: 'c', value: '1.5', state: 'Active' },
        ],
      },
    },
  ];

  describe.each(kinds)('$kind', ({ kind, input, output }) => {
    const word = kind === 'properties' ? 'property' : kind.slice(0, -1);

    test('200: stored, listed, found by exact name', async () => {
      const answer = await logbook.put(`/${kind}/new%20one`, { name: 'new one', ...input });
      expect(answer).toMatchObject({ status: 200, body: { name: 'new one', state: 'Active', ...output } });
      expect((await logbook.get(`/${kind}/new%20one`)).body).toEqual(answer.body);
      expect(await names(`/${kind}`)).toContain('new one');
      expect((await logbook.get(`/${kind}/New%20One`)).body?.name).toBeUndefined();
    });

    test('DELETE makes it inactive: no longer listed or found by name; PUT restores it', async () => {
      await logbook.put(`/${kind}/passing`, input);
      expect(await remove(`/${kind}/passing`)).toMatchObject({ status: 200, text: '' });
      expect(await names(`/${kind}`)).not.toContain('passing');
      const gone = await logbook.get(`/${kind}/passing`);
      if (kind === 'tags') expect(gone).toMatchObject({ status: 200, text: 'null' });
      else expect(gone).toMatchObject({ status: 404, body: { code: `catalog.unknown-${word}` } });
      expect(await remove(`/${kind}/passing`)).toMatchObject({ status: 200, text: '' });
      expect(await remove(`/${kind}/never`)).toMatchObject({ status: 404, body: { code: `catalog.unknown-${word}` } });
      expect((await logbook.put(`/${kind}/passing`, {})).body).toMatchObject({ state: 'Active' });
      expect(await names(`/${kind}`)).toContain('passing');
    });

    test('a bulk PUT is all or nothing, and returns what it stored', async () => {
      const answer = await logbook.put(`/${kind}`, [{ name: 'bulk 1', ...input }, { name: 'bulk 2' }]);
      expect(answer.body.map(({ name }: { name: string }) => name)).toEqual(['bulk 1', 'bulk 2']);
      for (const bad of [
        { name: ' ' },
        { name: 'bulk 3' },
        {},
        { name: null },
        { name: 'x'.repeat(256) },
        { name: 'a\nb' },
      ]) {
        const refused = await logbook.put(`/${kind}`, [{ name: 'bulk 3' }, bad]);
        expect(refused).toMatchObject({ status: 400 });
        expect(await names(`/${kind}`)).not.toContain('bulk 3');
      }
    });

    test('400 catalog.name-mismatch: another name in the body', async () => {
      const answer = await logbook.put(`/${kind}/one`, { name: 'two', ...input });
      expect(answer).toMatchObject({ status: 400, body: { code: 'catalog.name-mismatch' } });
      expect(await names(`/${kind}`)).not.toContain('two');
    });

    test.each(['GET', 'DELETE'])('%s of an unknown one', async (method) => {
      const answer = await logbook.call(`/${kind}/nothing`, { method });
      if (kind === 'tags' && method === 'GET') expect(answer).toMatchObject({ status: 200, text: 'null' });
      else expect(answer).toMatchObject({ status: 404, body: { code: `catalog.unknown-${word}` } });
    });

    test('names in other scripts, with slashes and with quotes are accepted', async () => {
      for (const name of ['Größe 測定', 'a/b', '"quoted"', "it's", '50%', '<b>', '?x=1#y']) {
        expect((await logbook.put(`/${kind}/${encodeURIComponent(name)}`, { name })).status).toBe(200);
        expect((await logbook.get(`/${kind}/${encodeURIComponent(name)}`)).body.name).toBe(name);
      }
    });

    test('401 without credentials: nothing stored', async () => {
      for (const answer of [
        await logbook.put(`/${kind}/secret`, {}, { as: null }),
        await logbook.put(`/${kind}`, [{ name: 'secret' }], { as: null }),
        await logbook.call(`/${kind}/alarm`, { method: 'DELETE', as: null }),
      ]) {
        expect(answer.status).toBe(401);
      }
      expect(await names(`/${kind}`)).not.toContain('secret');
    });

    test('the list is not capped', async () => {
      await logbook.put(
        `/${kind}`,
        Array.from({ length: 300 }, (_, index) => ({ name: `many ${index}` })),
      );
      const all = await names(`/${kind}`);
      expect(all.filter((name: string) => name.startsWith('many'))).toHaveLength(300);
      expect(all).toEqual([...all].sort());
    });
  });

  test('the owner of a logbook is the user who stored it first', async () => {
    expect((await logbook.put('/logbooks/mine', {})).body.owner).toBe('user');
    expect((await logbook.put('/logbooks/mine', {}, { as: 'admin:adminPass' })).body.owner).toBe('user');
    expect((await logbook.put('/logbooks/mine', { owner: 'other' })).body.owner).toBe('other');
  });

  test.each(['properties', 'logbooks', 'tags'])('GET /%s?inactive=true lists all', async (kind) => {
    await logbook.put(`/${kind}/old`, {});
    await remove(`/${kind}/old`);
    expect(await names(`/${kind}`)).not.toContain('old');
    expect(await names(`/${kind}?inactive=true`)).toContain('old');
    expect(await names(`/${kind}?inactive=false`)).not.toContain('old');
  });

  test('400: an attribute twice, or without name', async () => {
    for (const attributes of [[{ name: 'a' }, { name: 'a' }], [{}], [{ name: '' }], 'a']) {
      expect((await logbook.put('/properties/bad', { attributes })).status).toBe(400);
    }
    expect((await logbook.get('/properties/bad')).status).toBe(404);
  });

  describe('levels', () => {
    test('deleting removes it; entries keep its name', async () => {
      await logbook.put('/levels/Brief', { name: 'Brief', defaultLevel: false });
      const entry = await logbook.create({ level: 'Brief' });
      expect((await remove('/levels/Brief')).status).toBe(200);
      expect(await logbook.get('/levels/Brief')).toMatchObject({
        status: 404,
        body: { code: 'catalog.unknown-level' },
      });
      expect((await logbook.get(`/logs/${entry.id}`)).body.level).toBe('Brief');
      expect((await remove('/levels/Brief')).status).toBe(404);
    });

    test('400: a second default is refused by the name of the first; the first may be sent again', async () => {
      const answer = await logbook.put('/levels/Urgent', { name: 'Urgent', defaultLevel: true });
      expect(answer).toMatchObject({ status: 400, body: { code: 'catalog.second-default-level' } });
      expect(answer.body.message).toContain('Info');
      expect((await logbook.get('/levels/Urgent')).body.defaultLevel).toBe(false);
      expect((await logbook.put('/levels/Info', { name: 'Info', defaultLevel: true })).status).toBe(200);
    });

    test('400: two defaults within one bulk PUT; nothing stored', async () => {
      const answer = await logbook.put('/levels', [
        { name: 'Info', defaultLevel: false },
        { name: 'A', defaultLevel: true },
        { name: 'B', defaultLevel: true },
      ]);
      expect(answer).toMatchObject({ status: 400, body: { code: 'catalog.second-default-level' } });
      expect(await names('/levels')).not.toContain('A');
      expect((await logbook.get('/levels/Info')).body.defaultLevel).toBe(true);
    });

    test('the address in the singular stores too', async () => {
      expect((await logbook.put('/level/Singular', { name: 'Singular', defaultLevel: false })).status).toBe(200);
      expect(await names('/levels')).toContain('Singular');
    });
  });
});

describe('templates over HTTP', () => {
  let logbook: TestService;
  beforeAll(async () => {
    logbook = await TestService.start();
  });
  afterAll(async () => {
    await logbook.stop();
  });

  const full = {
    name: 'Shift start',
    title: 'Shift',
    source: '# *Start*',
    level: 'Request',
    logbooks: [{ name: 'operations' }],
    tags: [{ name: 'alarm' }],
    properties: [{ name: 'resource', attributes: [{ name: 'name', value: '' }] }],
  };

  test('200: stored with an id, found, listed by name, replaced, deleted', async () => {
    const stored = await logbook.put('/templates', full);
    expect(stored).toMatchObject({
      status: 200,
      body: { name: 'Shift start', owner: 'user', description: 'Start', level: 'Request', modifyDate: null },
    });
    const { id } = stored.body;
    expect((await logbook.get(`/templates/${id}`)).body).toEqual(stored.body);
    await logbook.put('/templates', { title: 'Another' });
    expect((await logbook.get('/templates')).body.map(({ name }: { name: string }) => name)).toEqual([
      'Another',
      'Shift start',
    ]);
    const replaced = await logbook.put('/templates', { ...stored.body, title: 'New' }, { as: 'admin:adminPass' });
    expect(replaced.body).toMatchObject({ id, title: 'New', owner: 'user', modifiedBy: 'admin', source: '# *Start*' });
    expect((await logbook.get('/templates')).body).toHaveLength(2);
    expect((await logbook.call(`/templates/${id}`, { method: 'DELETE' })).status).toBe(200);
    expect(await logbook.get(`/templates/${id}`)).toMatchObject({ status: 404, body: { code: 'template.not-found' } });
    expect((await logbook.call(`/templates/${id}`, { method: 'DELETE' })).status).toBe(404);
  });

  test('the name defaults to the title; lists are never null', async () => {
    const { body } = await logbook.put('/templates', {
      title: 'Only a title',
      tags: null,
      logbooks: null,
      properties: null,
    });
    expect(body).toMatchObject({
      name: 'Only a title',
      tags: [],
      logbooks: [],
      properties: [],
      level: 'Info',
      source: '',
    });
  });

  test.each<[string, unknown, string]>([
    ['a name that is taken, in other case', { name: 'only A TITLE' }, 'template.name-taken'],
    ['neither name nor title', {}, 'template.missing-name'],
    ['an unknown logbook', { title: 't', logbooks: [{ name: 'nowhere' }] }, 'entry.unknown-logbook'],
    ['an unknown tag', { title: 't', tags: [{ name: 'nothing' }] }, 'entry.unknown-tag'],
    ['a list', [], 'request.invalid'],
    ['a number as title', { title: 7 }, 'request.invalid'],
  ])('400 for %s: nothing stored', async (_case, body, code) => {
    const before = (await logbook.get('/templates')).body;
    expect(await logbook.put('/templates', body)).toMatchObject({ status: 400, body: { code } });
    expect((await logbook.get('/templates')).body).toEqual(before);
  });

  test('401 without credentials', async () => {
    expect((await logbook.put('/templates', full, { as: null })).status).toBe(401);
  });
});
