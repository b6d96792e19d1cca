import { mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ElogBytes } from '../../src/integrations/elog/elog-bytes.js';
import { readEntryBytes, scanElog } from '../../src/integrations/elog/elog-folder.js';
import { expectVerified } from '../fixtures/ledger-records.js';
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
      // This one is in Latin-1, with CRLF.
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

const quirkyHtml = [
  '<p>Own: <img alt="one" src="190102_093100/pic.png" style="height:30px; width:40px" /> <img src="190102_093100/pic.png?lb=Ops&amp;thumb=1">',
  '<img src="../Ops/190102_093100/pic.png"> <img src="elog:/1"> <img src="1/1"> <img src="https://elog.example.org/elog/Ops/190102_093100/pic.png">',
  '<img src="190102_093100_pic.png.png"></p>',
  '<p><img src="190102_093101/Gr%C3%B6%C3%9Fe%2050%25.png"> <img src="190102_093101/Gr%F6%DFe%2050%.png"> <img src="5/1"></p>',
  `<p>Pasted <img src="data:image/png;base64,${Buffer.from('PNG').toString('base64')}"></p>`,
  '<p><a href="2">two</a> <a href="../Ops/3?cmd=Edit">three</a> elog:4 elog:Dev/1 <a href="https://elog.example.org/elog/Ops/1">self</a> <a href="77">gone</a>',
  '<a href="https://elsewhere.example/Ops/1">https://elsewhere.example/Ops/1</a></p>',
  '<p>10<sup>-9</sup> mbar <span style="color:red">red</span></p><pre>',
  'x  = 1',
  '  y</pre>',
].join('\n');

const encodedHtml = [
  '<p><img src="190102_093101/Gr%25C3%25B6%25C3%259Fe%252050%2525.png"> <img src="190102_093101/Gr%C3%B6%C3%9Fe+50%25.png">',
  '<img src="190102_093100/pic.png?lb=Ops&amp;thumb=1"> <img src="../K%FChlung/190104_080000/cold.png">',
  '<img src="190104_080000/cold.png?thumb=1&amp;lb=K%FChlung"> <img src="190102_130000/doc.pdf?thumb=1">',
  '<img src="190102_130000/doc.pdf-0.png"> <a href="../K%25C3%25BChlung/1">cold</a> https://elog.example.org/Dev/1?a=1&amp;b=2</p>',
].join('\n');

/** Names and addresses that were encoded twice, or in a charset that the entry does not have. */
async function writeEncodedQuirks(ops: string, logbooks: string, date: Record<string, string>) {
  const pasted = `[img]data:image/png;base64,${Buffer.from('PNG').toString('base64')}[/img]`;
  const log = [
    entry(20, { ...date, Subject: 'encoded', Encoding: 'HTML' }, encodedHtml),
    entry(
      21,
      {
        ...date,
        Long: 'x'.repeat(70_000),
        'In reply to': '20',
        Subject: 'long',
        Attachment: '190102_093100_pic.png',
        Encoding: 'ELCode',
      },
      `[img]elog:/1[/img] ${pasted}`,
    ),
    entry(22, { ...date, Long: 'x'.repeat(70_000), Subject: 'long secret', Draft: 'Joe' }, 'not yet'),
    entry(
      23,
      { Date: 'Wed, 02 Jan 2019 13:00:00', Subject: 'plain', Attachment: '190102_130001_5 €.txt' },
      'at https://elog.example.org/elog/Dev/1, elog:21/1',
    ),
  ].join('');
  await writeFile(join(ops, '2019', '190103a.log'), log);
  const bytesOf = (text: string) => Buffer.from(text, 'latin1');
  await writeFile(bytesOf(`${join(ops, '2019')}/190102_130001_5 \x80.txt`), 'euro');
  await writeFile(join(ops, '2019', '190102_130000_doc.pdf'), 'a document');
  await writeFile(join(ops, '2019', '190102_130000_doc.pdf-0.png'), 'its first page');
  const folder = bytesOf(`${logbooks}/K\xfchlung`);
  await mkdir(folder);
  await writeFile(
    Buffer.concat([folder, Buffer.from('/190104a.log')]),
    entry(1, { ...date, Subject: 'cold', Attachment: '190104_080000_cold.png' }, 'x'),
  );
  await writeFile(Buffer.concat([folder, Buffer.from('/190104_080000_cold.png')]), 'bytes of cold.png');
}

/** Writes an ELOG with quirks of real ones. */
async function writeQuirks() {
  const [dir, data] = [await makeTempDir(), await makeTempDir()];
  const [ops, dev] = [join(dir, 'logbooks', 'Ops'), join(dir, 'logbooks', 'dev-folder')];
  for (const folder of [join(ops, '2018'), join(ops, '2019'), dev]) await mkdir(folder, { recursive: true });
  await writeFile(
    join(dir, 'elogd.cfg'),
    '[global]\nport = 8080\nURL = https://elog.example.org/elog/\n\n[Dev]\nSubdir = dev-folder\n',
  );
  await writeFile(join(dir, 'mapping.json'), JSON.stringify({ timeZone: 'Europe/Zurich' }));
  const own = '190102_093100_pic.png,190102_093101_Größe 50%.png';
  const date = (text: string) => ({ Date: `Wed, ${text} +0100` });
  const log = [
    entry(1, { ...date('02 Jan 2019 09:31:00'), Subject: 'html', Encoding: 'HTML', Attachment: own }, quirkyHtml),
    entry(
      2,
      { ...date('02 Jan 2019 10:00:00'), Subject: 'elcode', Encoding: 'ELCode', Attachment: '190102_100000_plot.png' },
      '[IMG]elog:2/1[/IMG] [img]elog:/1[/img] [img]elog:1/1[/img]\r\n[quote="Joe"]said[/quote][LIST=1]\r\n[*]first\r\n[*]second\r\n[/LIST]',
    ),
    entry(4, { ...date('02 Jan 2019 08:00:00'), Subject: 'reply', 'In reply to': '1' }, 'earlier'),
    entry(6, { ...date('02 Jan 2019 11:00:00'), Subject: 'secret', Draft: 'Joe' }, 'not yet'),
  ].join('');
  const mixed = Buffer.concat([
    Buffer.from(
      `$@MID@$: 7\nDate: Wed, 02 Jan 2019 12:00:00 +0100\nAuthor: M\u00fcller\nSubject: mixed\nAttachment: 190102_120000_Me\u00dfwert.txt,190102_120001_Me\u00dfwert.txt\n${head}\nGr\u00f6\u00dfe\n`,
      'latin1',
    ),
    Buffer.from('Größe\n$@MID@$: 99\n12. no list\n#1 > 200 mA [12:03]: *x* _y_ <z>\n'),
  ]);
  await writeFile(join(ops, '2019', '190102a.log'), Buffer.concat([Buffer.from(`\ufeff${log}`), mixed]));
  // A file that was added in the next year lies in the folder of that year.
  await writeFile(
    join(ops, '2018', '181231a.log'),
    [
      entry(3, { Date: 'Mon Dec 31 23:59:00 2018', Subject: 'old date' }, 'ctime'),
      entry(
        5,
        { Date: 'Mon, 31 Dec 2018 23:59:59 +0100', Subject: 'new year', Attachment: '190101_000100_later.png' },
        'see elog:1',
      ),
    ].join(''),
  );
  await writeFile(
    join(dev, '190103a.log'),
    entry(1, { ...date('02 Jan 2019 20:00:00'), Subject: 'other logbook' }, 'x'),
  );
  const files = [
    '190102_093100_pic.png',
    '190102_093101_Größe 50%.png',
    '190102_100000_plot.png',
    '190101_000100_later.png',
  ];
  for (const name of files) await writeFile(join(ops, '2019', name), `bytes of ${name.slice(14)}`);
  await writeFile(join(ops, '2019', '190102_093100_pic.png.png'), 'a preview');
  await writeFile(
    Buffer.concat([Buffer.from(join(ops, '2019', '190102_120000_Me')), Buffer.from([0xdf]), Buffer.from('wert.txt')]),
    'x',
  );
  await writeFile(join(ops, '2019', '190102_120001_Meßwert.txt'), 'y');
  await writeEncodedQuirks(ops, join(dir, 'logbooks'), date('02 Jan 2019 13:00:00'));
  return { dir, data };
}

const importElog = (...more: string[]) =>
  runCommand(['import', elog, '--mapping', mapping, '--data-dir', target, ...more]);

describe('the import of an ELOG', () => {
  test('a dry run says what each logbook and attribute becomes, and imports nothing', async () => {
    const { output, code } = await importElog('--dry-run');
    expect(code).toBe(0);
    expect(output).toMatch(/logbook Ops: 3 entries, to be imported into the logbook operations/);
    expect(output).toMatch(/logbook Test: 1 entry, left out/);
    expect(output).toMatch(/attribute Type: in 1 entry, becomes tags; Routine | Shift/);
    expect(output).toMatch(/attribute System: in 1 entry, becomes property:machine.system; RF/);
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

  test('an entry that occurs twice, in a copy of a file, is imported once and named', async () => {
    const copy = join(elog, 'logbooks', 'Ops', 'old');
    await mkdir(copy);
    await writeFile(join(copy, '210107a.log'), entry(4, { Author: 'b', Subject: 'copied and changed' }, 'other'));
    for (let run = 0; run < 2; run++) {
      const { output } = await importElog();
      expect(output).toMatch(/4 entries: 0 new, 0 changed, 4 as before/);
      expect(output).toMatch(/Entry Ops\/4 occurs twice; the one in “.*210107a.log” was left out/);
    }
    await rm(copy, { recursive: true });
  });

  test('a file that changes while it is imported is refused: its bytes would be those of another entry', async () => {
    const dir = await makeTempDir();
    await mkdir(join(dir, 'Ops'));
    const file = join(dir, 'Ops', '201123a.log');
    const second = entry(2, { Author: 'b' }, 'text of two');
    await writeFile(file, entry(1, { Author: 'a' }, 'text of one') + second);
    const reading = { decoder: new ElogBytes('iso-8859-1'), timeZone: 'UTC' };
    const [, listed] = (await scanElog(dir, reading, () => undefined, new AbortController().signal)).entries;
    if (!listed) throw new Error('no entry');
    expect((await readEntryBytes(listed, 1_000)).toString()).toBe(second);
    await writeFile(file, entry(1, { Author: 'a' }, 'a longer text of one') + second);
    await expect(readEntryBytes(listed, 1_000)).rejects.toMatchObject({ code: 'import.source-unavailable' });
    await rm(dir, { recursive: true, force: true });
  });

  test('a reader finds each image, link and word of every quirk, and the report is true', async () => {
    const { dir, data } = await writeQuirks();
    const importQuirks = () => runCommand(['import', dir, '--data-dir', data, '--mapping', join(dir, 'mapping.json')]);
    const { output, code } = await importQuirks();
    expect(code).toBe(0);
    expect(output).toMatch(/11 entries: 11 new/);
    expect(output).toMatch(/2 drafts left out/);
    expect(output).toMatch(/Both are equal, except for formatting such as colours; 1 original with it is attached/);
    const service = await TestService.start({}, data);
    const { logs } = await service.search('sort=up');
    const byTitle = new Map(logs.map((log) => [log.title, log]));
    const get = (title: string) => byTitle.get(title) ?? expect.fail(`no entry ${title}`);
    const fileOf = (title: string, name: string) =>
      get(title).attachments.find(({ filename }) => filename === name)?.id ?? expect.fail(`${title} has no ${name}`);
    for (const title of ['secret', 'long secret']) expect(byTitle.has(title)).toBe(false);

    const html = get('html');
    const pic = fileOf('html', 'pic.png');
    expect(html.source.match(/!\[[^\]]*\]\([^)]*\)(\{[^}]*\})?/g)).toEqual([
      `![one](attachment/${pic}){width=40 height=30}`,
      ...Array.from({ length: 6 }, () => `![](attachment/${pic})`),
      `![](attachment/${fileOf('html', 'Größe 50%.png')})`,
      `![](attachment/${fileOf('html', 'Größe 50%.png')})`,
      `![](attachment/${fileOf('new year', 'later.png')})`,
      `![](attachment/${fileOf('html', 'pasted-1.png')})`,
    ]);
    for (const { filename, id } of html.attachments) {
      const { text } = await service.get(`/attachment/${id}`);
      expect(text).toBe(
        filename === 'pasted-1.png' ? 'PNG' : filename === 'original-1.html' ? quirkyHtml : `bytes of ${filename}`,
      );
    }
    const link = (title: string) => `](#${get(title).id})`;
    for (const title of ['elcode', 'old date', 'reply', 'other logbook', 'html'])
      expect(html.source).toContain(link(title));
    expect(html.source).toMatch(/ gone \(77\) /);
    expect(html.source).toContain('10^-9');
    expect(html.description).toMatch(/10\^-9 mbar/);
    expect(html.source).toContain('```\nx  = 1\n  y\n```');
    expect(html.source).toContain('<https://elsewhere.example/Ops/1>');

    const encoded = get('encoded');
    const shown: string[] = [];
    for (const [, id] of encoded.source.matchAll(/!\[\]\(attachment\/([^)]*)\)/g)) {
      shown.push((await service.get(`/attachment/${id}`)).text);
    }
    const [large, cold, page] = ['bytes of Größe 50%.png', 'bytes of cold.png', 'its first page'];
    expect(shown).toEqual([large, large, 'bytes of pic.png', cold, cold, page, page]);
    expect(encoded.source).toContain(`[cold${link('cold')}`);
    expect(encoded.source).toContain(`[https://elog.example.org/Dev/1?a=1\\&b=2${link('other logbook')}`);
    expect(get('cold').logbooks).toMatchObject([{ name: 'Kühlung' }]);
    expect(get('long').source).toBe(
      `![](attachment/${fileOf('long', 'pic.png')}) ![](attachment/${fileOf('long', 'pasted-1.png')})`,
    );
    const plain = get('plain');
    expect(plain.createdDate).toBe(Date.parse('2019-01-02T12:00:00Z'));
    expect((await service.get(`/attachment/${fileOf('plain', '5 €.txt')}`)).text).toBe('euro');
    expect(plain.source).toBe(
      `at [https://elog.example.org/elog/Dev/1${link('other logbook')}, [elog:21/1](attachment/${fileOf('plain', 'pic.png')})`,
    );

    const elcode = get('elcode');
    expect(elcode.source).toContain(
      `![](attachment/${fileOf('elcode', 'plot.png')}) ![](attachment/${fileOf('elcode', 'plot.png')}) ![](attachment/${pic})`,
    );
    expect(elcode.source).toContain('> **Joe wrote:**');
    expect(elcode.source).toContain('1. first\n2. second');
    expect(get('other logbook').logbooks).toMatchObject([{ name: 'Dev' }]);
    expect(get('mixed').owner).toBe('Müller');
    expect(get('mixed').description).toBe('Größe\nGröße\n$@MID@$: 99\n12. no list\n#1 > 200 mA [12:03]: *x* _y_ <z>');
    expect(get('mixed').attachments.map(({ filename }) => filename)).toEqual(['Meßwert.txt', 'Meßwert-2.txt']);
    expect(get('old date').createdDate).toBe(Date.parse('2018-12-31T22:59:00Z'));
    // The clock was set back: the answer has an earlier date than its parent.
    expect((await service.get(`/logs/${get('reply').id}`)).body.properties).toMatchObject([
      { name: 'ELOG' },
      { name: 'Log Entry Group' },
    ]);
    expect(get('reply').id).toBeGreaterThan(html.id);
    await service.stop({ keepData: true });
    expect((await importQuirks()).output).toMatch(/11 entries: 0 new, 0 changed, 11 as before/);
    await expectVerified(data);
    for (const one of [dir, data]) await rm(one, { recursive: true, force: true });
  });

  test.each([
    ['windows-1251', 'cdc0d1ced1'],
    ['Shift_JIS', '905e8bf3837c'],
    ['GB18030', 'd5e6bfd5b1c3'],
  ])('names on disk in %s are found by addresses in the text', async (charset, hex) => {
    const [dir, data] = [await makeTempDir(), await makeTempDir()];
    const [ops, bytes] = [join(dir, 'logbooks', 'Ops'), Buffer.from(hex, 'hex')];
    await mkdir(ops, { recursive: true });
    await writeFile(join(dir, 'elogd.cfg'), `[global]\ncharset = ${charset}\n`);
    const name = Buffer.concat([Buffer.from('190102_093000_'), bytes, Buffer.from('.txt')]);
    const typed = new TextDecoder(charset).decode(bytes);
    const text = `<img src="190102_093000/${typed}.txt"> <a href="190102_093000/${encodeURIComponent(typed)}.txt">x</a>`;
    await writeFile(Buffer.concat([Buffer.from(`${ops}/`), name]), 'found');
    await writeFile(join(ops, '190102a.log'), entry(1, { Subject: 's', Encoding: 'HTML' }, text));
    expect((await runCommand(['import', dir, '--data-dir', data])).code).toBe(0);
    const service = await TestService.start({}, data);
    const { logs } = await service.search('sort=up');
    const [file] = logs[0]?.attachments ?? [];
    expect([file?.filename, logs[0]?.source]).toEqual([
      `${typed}.txt`,
      `![](attachment/${file?.id}) [x](attachment/${file?.id})`,
    ]);
    await service.stop({ keepData: true });
    for (const one of [dir, data]) await rm(one, { recursive: true, force: true });
  });

  test('images that lead nowhere and files that are gone are counted: both are not equal', async () => {
    const dir = await makeTempDir();
    const data = await makeTempDir();
    await mkdir(join(dir, 'logbooks', 'Ops'), { recursive: true });
    const text =
      '<p><img src="190102_093000/gone.png"> <img src="1/7"> <img src="cid:att0@x"> <img src="../ckeditor/plugins/smiley/a.png" alt="smile"></p>';
    const files = '190102_093000_gone.png';
    await writeFile(
      join(dir, 'logbooks', 'Ops', '190102a.log'),
      entry(1, { Encoding: 'HTML', Attachment: files }, text),
    );
    const { output, code } = await runCommand(['import', dir, '--data-dir', data]);
    expect(code).toBe(2);
    expect(output).toMatch(/The source does not have the file “gone.png”/);
    expect(output).toMatch(/Ops\/1: image: "1\/7" at the source, "missing" here/);
    expect(output).toMatch(/3 images in texts have no file/);
    expect(output).not.toMatch(/equal/);
    for (const one of [dir, data]) await rm(one, { recursive: true, force: true });
  });

  test('pictures behind texts, attributes of dates and texts of unknown encodings are as readers saw them', async () => {
    const [dir, data] = [await makeTempDir(), await makeTempDir()];
    const [ops, report] = [join(dir, 'logbooks', 'ops-folder'), join(dir, 'report.json')];
    await mkdir(ops, { recursive: true });
    const types = '[global]\nType Due = datetime\nType Day = date\n[Ops]\nSubdir = ops-folder\nType Day = datetime\n';
    await writeFile(join(dir, 'elogd.cfg'), `${types}Type Count = numeric\n`);
    const attributes = { Kind: 'level', Headline: 'title', Day: 'tags' };
    await writeFile(join(dir, 'mapping.json'), JSON.stringify({ timeZone: 'Europe/Zurich', attributes }));
    const html = [
      '<div style="background-image: url(190102_093000/pic.png)">behind</div>',
      '<table><tr><td background="elog:/1">cell</td></tr></table>',
      '<p style="background:url(https://elsewhere.example/x.png)">elsewhere</p>',
      `<p style="background: url('190102_093000/gone.png')">gone</p>`,
    ].join('\n');
    const times = { Due: '1546418460', Day: '1546418460', Count: '1546418460' };
    const titles = { Subject: 'first', Headline: 'second', Kind: 'A | B' };
    const log = [
      '$Start$: 1\nold format\n',
      entry(1, { ...times, ...titles, Attachment: '190102_093000_pic.png', Encoding: 'HTML' }, html),
      entry(2, { Subject: 'none' }, '<p>shown as <b>HTML</b></p>'),
      entry(3, { Date: 'Mi, 02 Jän 2019 09:00:00 +0100', Subject: 'plain', Encoding: 'plain' }, '<b>as it is</b>'),
    ].join('');
    await writeFile(join(ops, '190102a.log'), log);
    await writeFile(join(ops, '190102_093000_pic.png'), 'PNG');
    const { code, output } = await runCommand([
      ...['import', dir, '--data-dir', data, '--mapping', join(dir, 'mapping.json'), '--report', report],
    ]);
    expect([code, output]).toEqual([2, expect.stringMatching(/3 entries: 3 new/)]);
    const { problems, reconciliation } = JSON.parse(await readFile(report, 'utf8'));
    expect(problems.map(({ text }: { text: string }) => text)).toEqual([
      expect.stringMatching(/^The first 22 bytes of “.*190102a.log” are not an entry .*begin with “\$Start\$: 1/),
    ]);
    expect(reconciliation.differences).toEqual([
      { key: 'ops-folder/1', field: 'image', source: '190102_093000/gone.png', here: 'missing' },
    ]);
    const service = await TestService.start({}, data);
    const { logs } = await service.search('sort=up');
    const first = logs.find(({ title }) => title === 'first');
    const id = first?.attachments[0]?.id;
    expect(first?.source).toBe(
      [
        `![](attachment/${id}) behind`,
        `![](attachment/${id}) cell`,
        'elsewhere',
        '(missing image: 190102\\_093000/gone.png) gone',
      ].join('\n\n'),
    );
    expect(first).toMatchObject({ level: 'A | B', tags: [{ name: '2019-01-02 09:41:00' }] });
    expect(first?.properties.find(({ name }) => name === 'ELOG')?.attributes).toMatchObject([
      { name: 'Due', value: '2019-01-02 09:41:00' },
      { name: 'Count', value: '1546418460' },
      { name: 'Headline', value: 'second' },
      { name: 'id', value: '1' },
    ]);
    expect((await service.get('/levels')).body.map(({ name }: { name: string }) => name)).toContain('A | B');
    expect(logs.find(({ title }) => title === 'none')?.source).toBe('shown as **HTML**');
    const plain = logs.find(({ title }) => title === 'plain');
    expect([plain?.description, plain?.createdDate]).toEqual(['<b>as it is</b>', Date.parse('2019-01-02T08:00:00Z')]);
    await service.stop({ keepData: true });
    for (const one of [dir, data]) await rm(one, { recursive: true, force: true });
  });

  test('a reply to an entry that is gone says so', async () => {
    const dir = await makeTempDir();
    const data = await makeTempDir();
    const report = join(data, 'report.json');
    await mkdir(join(dir, 'logbooks', 'Ops'), { recursive: true });
    await writeFile(join(dir, 'logbooks', 'Ops', '190102a.log'), entry(1, { 'In reply to': '77' }, 'an answer'));
    const { code } = await runCommand(['import', dir, '--data-dir', join(data, 'new'), '--report', report]);
    expect(code).toBe(0);
    const { remarks } = JSON.parse(await readFile(report, 'utf8'));
    expect(remarks).toEqual([{ kind: 'entry', key: 'Ops/1', text: 'It is a reply to Ops/77, which is not imported.' }]);
    for (const one of [dir, data]) await rm(one, { recursive: true, force: true });
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
