import { afterAll, beforeAll, expect, test } from 'vitest';
import { markupCorpus } from '../fixtures/markup-corpus.js';
import { TestService } from '../fixtures/service.js';

let service: TestService;
beforeAll(async () => {
  service = await TestService.start();
});
afterAll(() => service.stop());

/** The interface refuses NUL. */
const examples = Object.values(markupCorpus)
  .flat()
  .filter(({ source }) => !source.includes('\0'));
/** Characters that neither XML nor a line of a feed may have. */
const plain = (text: string) => text.replace(/\s+/g, ' ').trim();

test('texts as people type them are described, found and sent in feeds as typed', async () => {
  for (const [at, { source, description }] of examples.entries()) {
    const entry = await service.create({ title: `example ${at}`, source });
    expect(entry).toMatchObject({ source, description });
    const words = description.match(/(?<![\p{L}\p{N}_:/.*\\#-])\p{L}{3,}(?![\p{L}\p{N}_:/.*\\#-])/gu) ?? [];
    if (words.length === 0) continue;
    const { ids } = await service.search(
      `text=${encodeURIComponent(words.map((word) => `"${word}"`).join(' '))}&size=100`,
    );
    expect(ids, source).toContain(entry.id);
  }
  const feed = (await service.get('/logs/rss?size=200')).text;
  const decoded = (text: string) =>
    text.replace(/&(lt|gt|amp|quot|#39|apos);/g, (all, name: string) => {
      const named: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', '#39': "'", apos: "'" };
      return named[name] ?? all;
    });
  const shown = plain(decoded(decoded(feed)).replace(/<br ?\/?>/g, ' '));
  for (const { description } of examples) expect(shown).toContain(plain(description));
});
