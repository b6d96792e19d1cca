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
      source: '**bold**',
    },
    { created: '2026-11-26 05:40', address: 'https://log.example/entries/7' },
  );
  expect(copied).toContain('# set\\_point \\[A\\] \\* 2 \\# no heading\n\nInfo · u\\_1 · 2026-11-26 05:40 · ');
  expect(copied).toContain(' · a\\*b, \\<c\\> · https://log.example/entries/7\n\n**bold**\n');
});
