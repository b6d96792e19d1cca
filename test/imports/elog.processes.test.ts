import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readElogEntry, scanElog } from '../../src/integrations/elog/elog-folder.js';
import { convertText } from '../../src/integrations/elog/elog-text.js';
import { runCommand } from '../fixtures/process.js';
import { makeTempDir, TestService } from '../fixtures/service.js';

const head = '='.repeat(40);

function entry(id: number, headers: Record<string, string>, text: string): string {
  const lines = Object.entries({ Date: 'Mon, 23 Nov 2020 10:00:00 +0100', ...headers }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return [`$@MID@$: ${id}`, ...lines, head, text, ''].join('\n');
}

let elog: string;
let target: string;
let mapping: string;
beforeAll(async () => {
  elog = await makeTempDir();
  target = await makeTempDir();
  const [ops, year, test_] = [
    join(elog, 'logbooks', 'Ops'),
    join(elog, 'logbooks', 'Ops', '2021'),
    join(elog, 'logbooks', 'Test'),
  ];
  for (const dir of [year, test_]) await mkdir(dir, { recursive: true });
  await writeFile(
    join(ops, '201123a.log'),
    Buffer.concat([
      Buffer.from(
        entry(
          1,
          {
            Author: 'Jörg',
            Type: 'Routine | Shift',
            Subject: 'Über: den Strahl',
            System: 'RF',
            'Reply to': '2, 99',
            Attachment: '201123_100000_plot ä.txt,201123_100001_gone.txt',
            Encoding: 'HTML',
          },
          '<p>Look <b>here</b>: <img src="elog:/1"></p><script>alert(1)</script>',
        ),
      ),
      // In Latin-1 and with CRLF.
      Buffer.from(
        entry(
          2,
          { Author: 'M\u00fcller', Subject: 'Antwort', 'In reply to': '1', Encoding: 'plain' },
          `before\n${head}\n# no heading *or* more`,
        ).replaceAll('\n', '\r\n'),
        'latin1',
      ),
    ]),
  );
  await writeFile(join(ops, '201123_100000_plot ä.txt'), 'the plot');
  await writeFile(
    join(year, '210105a.log'),
    entry(
      3,
      {
        Date: 'Tue, 05 Jan 2021 08:00:00 +0100',
        Author: 'a',
        Subject: 's',
        Encoding: 'ELCode',
        'In reply to': '2',
        'Locked by': 'x',
      },
      '[b]bold[/b] [color=red]red[/color] [code]a[0] * b[/code][LIST][*]one[*]two[/LIST]',
    ),
  );
  await writeFile(
    join(test_, '201124a.log'),
    entry(1, { Author: 'a', Subject: 'left out', Attachment: '../../../etc/passwd' }, 'x'),
  );
  await symlink('/etc/passwd', join(ops, '201123_100009_passwd'));
  mapping = join(elog, 'mapping.json');
  const attributes = { Type: 'tags', System: 'property:machine.system' };
  await writeFile(mapping, JSON.stringify({ logbooks: { Ops: 'operations', Test: null }, attributes }));
});
afterAll(async () => {
  for (const dir of [elog, target]) await rm(dir, { recursive: true, force: true });
});

const importElog = (...more: string[]) =>
  runCommand(['import', elog, '--mapping', mapping, '--data-dir', target, ...more]);

describe('the import of an ELOG', { timeout: 240_000 }, () => {
  test('a dry run says what each logbook and attribute becomes, and imports nothing', async () => {
    const { output, code } = await importElog('--dry-run');
    expect(code).toBe(0);
    expect(output).toMatch(/logbook Ops: 3 entries, become the logbook operations/);
    expect(output).toMatch(/logbook Test: 1 entries, left out/);
    expect(output).toMatch(/attribute Type: in 1 entries, becomes tags; Routine | Shift/);
    expect(output).toMatch(/attribute System: in 1 entries, becomes property:machine.system; RF/);
    expect(output).toMatch(/attribute Author: in 3 entries, becomes owner/);
    expect(output).toMatch(/Nothing was imported/);
  });

  test('brings entries with their threads, attributes and files, and again only what has changed', async () => {
    const first = await importElog();
    expect(first.output).toMatch(/3 entries: 3 new/);
    expect(first.output).toMatch(/The source does not have the file “gone.txt”/);
    expect(first.code).toBe(2);
    const service = await TestService.start({}, target);
    const { logs } = await service.search('sort=up');
    expect(logs.map(({ title, owner, createdDate }) => [title, owner, createdDate])).toEqual([
      ['Über: den Strahl', 'Jörg', Date.parse('2020-11-23T09:00:00Z')],
      ['Antwort', 'Müller', Date.parse('2020-11-23T09:00:00Z')],
      ['s', 'a', Date.parse('2021-01-05T07:00:00Z')],
    ]);
    const [one, two, three] = logs;
    const group = (found: typeof one) =>
      found?.properties.find(({ name }) => name === 'Log Entry Group')?.attributes[0]?.value;
    expect(new Set([group(one), group(two), group(three)]).size).toBe(1);
    expect(one?.tags.map(({ name }) => name)).toEqual(['Routine', 'Shift']);
    expect(one?.properties.find(({ name }) => name === 'machine')?.attributes).toMatchObject([
      { name: 'system', value: 'RF' },
    ]);
    const [plot, original] = one?.attachments ?? [];
    expect([plot?.filename, original?.filename]).toEqual(['plot ä.txt', 'original-1.html']);
    expect((await service.get(`/attachment/${plot?.id}`)).text).toBe('the plot');
    expect(one?.source).toBe(`Look **here**: ![](attachment/${plot?.id})`);
    expect(two?.description).toBe(`before\n${head}\n# no heading *or* more`);
    expect(three?.source).toContain('**bold** red');
    expect(three?.source).toContain('a[0] * b');
    expect((await service.get('/tags')).body.map(({ name }: { name: string }) => name)).toContain('Routine');
    await service.stop({ keepData: true });

    await writeFile(join(elog, 'logbooks', 'Ops', '210106a.log'), entry(4, { Author: 'b', Subject: 'new' }, 'text'));
    const second = await importElog();
    expect(second.output).toMatch(/4 entries: 1 new, 0 changed, 3 as before/);
  });

  test('an entry that is there twice, in a copy of a file, comes once and is named', async () => {
    const copy = join(elog, 'logbooks', 'Ops', 'old');
    await mkdir(copy);
    await writeFile(join(copy, '210107a.log'), entry(4, { Author: 'b', Subject: 'copied and changed' }, 'other'));
    for (let run = 0; run < 2; run++) {
      const { output } = await importElog();
      expect(output).toMatch(/4 entries: 0 new, 0 changed, 4 as before/);
      expect(output).toMatch(/Entry Ops\/4 is there twice; the one in “.*210107a.log” was left out/);
    }
    await rm(copy, { recursive: true });
  });

  test('a file that changes while it is imported is refused: its bytes would be those of another entry', async () => {
    const dir = await makeTempDir();
    await mkdir(join(dir, 'Ops'));
    const file = join(dir, 'Ops', '201123a.log');
    const second = entry(2, { Author: 'b' }, 'text of two');
    await writeFile(file, entry(1, { Author: 'a' }, 'text of one') + second);
    const [, place] = await scanElog(dir, () => undefined, new AbortController().signal);
    if (!place) throw new Error('no entry');
    expect((await readElogEntry(place)).text).toBe('text of two');
    await writeFile(file, entry(1, { Author: 'a' }, 'a longer text of one') + second);
    await expect(readElogEntry(place)).rejects.toMatchObject({ code: 'import.source-unavailable' });
    await rm(dir, { recursive: true, force: true });
  });

  test('a mapping with a mistake is refused, and names it', async () => {
    await writeFile(mapping, JSON.stringify({ attributes: { Type: 'tagz' } }));
    const { errors, code } = await importElog();
    expect(code).toBe(1);
    expect(errors).toMatch(
      /the attribute Type must be one of title, owner, level, tags, ignore, or property:NAME.ATTRIBUTE/,
    );
  });
});

describe('texts become CommonMark', { timeout: 120_000 }, () => {
  const convert = async (text: string, encoding: string) => convertText(text, encoding, () => undefined);

  test('plain text shows no character as markup, and keeps its columns', async () => {
    expect((await convert('* a_b_ <i>\n1. [x](y)', 'plain')).source).toBe('\\* a\\_b\\_ \\<i\\>\\\n1\\. \\[x\\](y)');
    expect((await convert('a    1\nb    2', 'plain')).source).toBe('```\na    1\nb    2\n```');
  });

  test('a table of HTML becomes a table', async () => {
    const { source, lostFrom } = await convert(
      '<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>x|y</td></tr></table>',
      'HTML',
    );
    expect(source).toBe('| a | b |\n| --- | --- |\n| 1 | x\\|y |');
    expect(lostFrom).toBeUndefined();
  });

  test('ELCode becomes links, quotations and tables; what has no form is named', async () => {
    const { source } = await convert(
      '[url=https://a.example/x y]site[/url] [quote]said[/quote][TABLE]a|b\n|-\n1|2[/TABLE]',
      'ELCode',
    );
    expect(source).toBe('[site](https://a.example/x%20y) \n\n> said\n\n| a | b |\n| --- | --- |\n| 1 | 2 |');
    expect((await convert('[u]under[/u]', 'ELCode')).lostFrom).toBe('elcode.txt');
    expect((await convert('[b]x[/b] [unknown]', 'ELCode')).lostFrom).toBeUndefined();
  });

  test('deep and unclosed markup does no harm', async () => {
    for (const text of ['<div>'.repeat(50_000), `${'<div>'.repeat(5_000)}x${'</div>'.repeat(5_000)}`]) {
      expect((await convert(text, 'HTML')).source.length).toBeLessThan(20_000);
    }
    for (const text of ['<a'.repeat(200_000), ' src='.repeat(90_000), '<b>'.repeat(100_000)])
      await convert(text, 'HTML');
    for (const tag of ['[b]', '[/b]', '[code]', '[table]', '[quote]', '[', '[url=']) {
      expect((await convert(`${tag.repeat(50_000)}x${' '.repeat(50_000)}y`, 'ELCode')).source).toContain('y');
    }
  });
});
