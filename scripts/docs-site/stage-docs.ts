import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join, relative } from 'node:path';
import { productDir } from '../../src/kernel/product.js';
import { describeInterface } from './api-page.js';
import { chapters, listUnlisted, overview, rootPages } from './pages.js';

const titleOf = (markdown: string): string => /^# (.+)$/m.exec(markdown)?.[1] ?? '';

/**
 * Copies the pages and everything that they link to into `dir`, next to the configuration of VitePress. The folders and
 * names are those of the checkout, where forges show them too.
 * @throws Error when a page is not in the table of contents, or a page in it does not exist
 */
export async function stageDocs(dir: string): Promise<void> {
  rmSync(dir, { recursive: true, force: true });
  checkChapters();
  const pages = [
    `${overview}.md`,
    ...chapters.flatMap(({ pages: paths }) => paths.map((path) => `docs/${path}.md`)),
    ...decisions().map((name) => `docs/adr/${name}`),
    ...rootPages.map((name) => `${name}.md`),
  ];
  const staged = new Set([...pages, 'docs/adr/index.md']);
  for (const page of ['README.md', ...pages]) {
    const text = readFileSync(join(productDir, page), 'utf8');
    write(dir, page === 'README.md' ? 'index.md' : page, linkFrom(dir, page, text, staged));
  }
  cpSync(join(productDir, 'docs', 'images'), join(dir, 'docs', 'images'), { recursive: true });
  write(dir, 'docs/adr/index.md', decisionsPage());
  const { page, description } = await describeInterface();
  write(dir, 'api.md', page);
  write(dir, 'public/files/openapi.json', JSON.stringify(description));
  for (const [from, to] of [
    ['config.mjs', 'config.mjs'],
    ['theme.mjs', 'theme/index.mjs'],
  ] as const) {
    mkdirSync(join(dir, '.vitepress', 'theme'), { recursive: true });
    cpSync(join(productDir, 'scripts', 'docs-site', from), join(dir, '.vitepress', to));
  }
  write(dir, '.vitepress/pages.json', JSON.stringify(navigation()));
}

function write(dir: string, path: string, content: string): void {
  mkdirSync(dirname(join(dir, path)), { recursive: true });
  writeFileSync(join(dir, path), content);
}

const decisions = (): string[] => readdirSync(join(productDir, 'docs', 'adr')).toSorted();

function checkChapters(): void {
  const missing = listUnlisted();
  if (missing.length > 0) throw new Error(`scripts/docs-site/pages.ts does not name ${missing.join(', ')}`);
}

function decisionsPage(): string {
  const lines = decisions().map((name) => {
    const title = titleOf(readFileSync(join(productDir, 'docs', 'adr', name), 'utf8'));
    return `- [${title}](${name})`;
  });
  return `# Decisions\n\nDecisions that a newcomer would question, with their reasons.\n\n${lines.join('\n')}\n`;
}

function navigation() {
  const item = (path: string) => ({
    text: titleOf(readFileSync(join(productDir, `${path}.md`), 'utf8')),
    link: `/${path}`,
  });
  const groups = chapters.map(({ title, pages }) => ({
    text: title,
    collapsed: false,
    items: pages.map((page) => item(`docs/${page}`)),
  }));
  const more = [
    { text: 'HTTP interface', link: '/api' },
    {
      text: 'Decisions',
      collapsed: true,
      link: '/docs/adr/',
      items: decisions().map((name) => item(`docs/adr/${basename(name, '.md')}`)),
    },
    { text: 'Project', collapsed: false, items: rootPages.map((page) => item(page)) },
  ];
  const shown = groups.filter(({ text }) => ['Start', 'Operate', 'Reference'].includes(text));
  const nav = shown.map(({ text, items }) => ({ text, link: items[0]?.link ?? '/' }));
  return { sidebar: [item(overview), ...groups, ...more], nav: [...nav, { text: 'HTTP interface', link: '/api' }] };
}

/** Rewrites links to what is not a page of the site: a link to a file leads to a copy, one to a folder becomes text. */
function linkFrom(dir: string, page: string, text: string, staged: ReadonlySet<string>): string {
  return text.replace(
    /(?<!!)\[([^\]]+)\]\((?!https?:|#|mailto:)([^)\s]+)\)/g,
    (link, label: string, target: string) => {
      const [path = ''] = target.split('#');
      const file = relative(productDir, join(productDir, dirname(page), path)).replaceAll('\\', '/');
      if (file === 'README.md') return `[${label}](/)`;
      if (staged.has(file)) return link;
      if (file === 'docs/adr') return `[${label}](/docs/adr/)`;
      const from = join(productDir, file);
      // A dead link stays, and fails the build.
      if (!existsSync(from)) return link;
      if (statSync(from).isDirectory()) return label;
      const to = `files/${file}${extname(file) === '' ? '.txt' : ''}`;
      mkdirSync(dirname(join(dir, 'public', to)), { recursive: true });
      cpSync(from, join(dir, 'public', to));
      return `[${label}](/${to}){target="_self"}`;
    },
  );
}
