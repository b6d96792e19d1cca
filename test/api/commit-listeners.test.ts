import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TestService } from '../fixtures/service.js';

let logbook: TestService;
let lines: { msg: string }[];
beforeEach(async () => {
  lines = [];
  const log = pino({ level: 'error' }, { write: (line: string) => lines.push(JSON.parse(line)) });
  logbook = await TestService.start({}, undefined, log);
});
afterEach(() => logbook.stop());

test('a commit listener that throws does not deny the commit, and affects neither the next writes nor other listeners', async () => {
  let heard = 0;
  logbook.service.storage.onCommit(() => {
    throw new Error('listener failed');
  });
  logbook.service.storage.onCommit(() => {
    heard += 1;
  });
  const entry = (title: string) => ({ title, logbooks: [{ name: 'operations' }] });
  const answers = [
    await logbook.put('/logs', entry('one')),
    await logbook.put('/logs', entry('two')),
    await logbook.post('/logs/group', [1, 2]),
    await logbook.sendForm('PUT', { ...entry('with a file'), attachments: [{ filename: 'a.txt' }] }, [
      { name: 'a.txt', content: 'content' },
    ]),
    await logbook.post('/logs/1', { ...entry('edited'), id: 1 }),
    await logbook.put('/tags/new', { name: 'new' }),
    await logbook.put('/templates', { name: 'new', title: 'a template', logbooks: [{ name: 'operations' }] }),
  ];
  const together = await Promise.all(
    Array.from({ length: 20 }, (_, at) => logbook.put('/logs', entry(`concurrent ${at}`))),
  );
  for (const { status, text } of [...answers, ...together]) expect(status, text).toBe(200);
  expect((await logbook.get('/logs/1')).body.title).toBe('edited');
  for (const { body } of together) expect((await logbook.get(`/logs/${body.id}`)).body.title).toBe(body.title);
  expect(heard).toBeGreaterThan(answers.length);
  expect(new Set(lines.map(({ msg }) => msg))).toEqual(new Set(['commit listener failed']));
});
