import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { hasTools } from '../../scripts/tools.js';
import { productDir } from '../../src/kernel/product.js';

const site = join(productDir, 'dist-docs', 'site');
const filesIn = (dir: string) => readdirSync(dir, { recursive: true, encoding: 'utf8' });
const read = (name: string) => readFileSync(join(site, name), 'utf8');

// Skipped outside of CI where the tools are not installed.
describe.skipIf(process.env.CI === undefined && !hasTools)('the site of the documentation (needs the tools)', () => {
  // Fails when a page links to one that does not exist.
  beforeAll(() => {
    const script = join(productDir, 'dist', 'scripts', 'build-docs-site.js');
    execFileSync(process.execPath, [script], { stdio: ['ignore', 'ignore', 'pipe'] });
  });

  test('each page of docs/ is a page of the site, and in its table of contents', () => {
    const index = read('index.html');
    const pages = filesIn(join(productDir, 'docs')).filter((name) => name.endsWith('.md'));
    expect(pages.length).toBeGreaterThan(45);
    for (const page of pages) {
      const path = `docs/${page.replaceAll('\\', '/').replace(/[.]md$/, '')}`;
      expect(existsSync(join(site, `${path}.html`)), path).toBe(true);
      expect(index, path).toContain(`href="/${path}.html"`);
    }
  });

  test('the pages about the interface name each operation', () => {
    const { paths } = JSON.parse(read('files/openapi.json')) as { paths: Record<string, object> };
    const page = read('api.html');
    for (const path of Object.keys(paths)) expect(page).toContain(` ${path.replaceAll('&', '&amp;')}<`);
  });

  test('the search works without a network, and knows the words of all readers', () => {
    const [index = ''] = filesIn(join(site, 'assets')).filter((name) => name.includes('localSearchIndex'));
    const words = readFileSync(join(site, 'assets', index), 'utf8');
    const missing = ['quarantine', 'redaction', 'timeline', 'savepoint', 'rfc'].filter(
      (word) => !words.includes(`["${word}",`),
    );
    expect(missing).toEqual([]);
  });

  test('nothing is loaded from elsewhere, and each page forbids scripts that are in no file', () => {
    const pages = filesIn(site).filter((name) => name.endsWith('.html') && !name.startsWith('files'));
    for (const page of pages) {
      const html = read(page);
      expect(html, page).toContain('http-equiv="Content-Security-Policy" content="default-src \'self\';');
      expect(html.match(/<(script|link|img|iframe)[^>]+(src|href)="(https?:)?\/\/[^>]*>/g) ?? [], page).toEqual([]);
      const scripts = html.match(/<script[^>]*>[^<]*/g) ?? [];
      expect(
        scripts.filter((script) => !/^<script[^>]* src="\/[^>]*>\s*$/.test(script)),
        page,
      ).toEqual([]);
    }
  });
});
