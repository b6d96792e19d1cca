import { expect, test } from 'vitest';
import { toMarkdown } from './entry-markdown.ts';

test('a copied entry shows its title, names and tags as they are, and its text as Markdown', () => {
  const named = (name: string) => ({ name, owner: '', state: 'Active' as const });
  const copied = toMarkdown(
    {
      title: 'set_point [A] * 2\n# no heading',
      level: 'Info',
      owner: 'u_1',
      logbooks: [named('a*b')],
      tags: [named('<c>')],
      source: '**bold** ![Trip](attachment/a1){width=300} [other](attachment/zz)',
      attachments: [{ id: 'a1', filename: 'trip.png', contentType: 'image/png', size: 1 }] as never,
    },
    {
      created: '2026-11-26 05:40',
      address: 'https://log.example/entries/7',
      fileAddress: (id) => `https://log.example/logbook/attachment/${id}`,
    },
  );
  expect(copied).toContain('# set\\_point \\[A\\] \\* 2 \\# no heading\n\nInfo · u\\_1 · 2026-11-26 05:40 · ');
  expect(copied).toContain(' · a\\*b, \\<c\\> · https://log.example/entries/7\n\n**bold** ');
  expect(copied).toContain('![Trip](https://log.example/logbook/attachment/a1){width=300} [other](attachment/zz)\n');
});
