import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { productDir } from '../../src/kernel/product.js';

/** The pages of the site by kind, in reading order; paths without `.md`, below `docs/`. */
export const chapters: readonly { readonly title: string; readonly pages: readonly string[] }[] = [
  {
    title: 'Start',
    pages: ['user/start', 'user/shift-work', 'operator/first-service', 'operator/moving-in'],
  },
  {
    title: 'Use',
    pages: ['user/web-client', 'user/writing', 'user/searching', 'user/devices', 'user/administration'],
  },
  {
    title: 'Install and connect',
    pages: [
      ...['operator/sizing', 'operator/install', 'operator/packages', 'operator/tls', 'operator/sign-in'],
      ...['operator/subscribers', 'operator/cluster-setup', 'operator/object-storage', 'operator/opensearch'],
      'operator/control-system',
    ],
  },
  {
    title: 'Operate',
    pages: [
      ...['operator/running', 'operator/monitoring', 'operator/backup', 'operator/upgrade', 'operator/cluster'],
      ...['operator/ledger', 'operator/redaction', 'operator/troubleshooting'],
    ],
  },
  {
    title: 'Program',
    pages: [
      'developer/rich-clients',
      'developer/live',
      'developer/python-client',
      'developer/agents',
      'developer/plugins',
      'developer/control-systems',
    ],
  },
  {
    title: 'Reference',
    pages: [
      ...['operator/configuration', 'operator/commands', 'operator/directories', 'operator/errors'],
      ...['operator/data-directory', 'operator/ports', 'developer/performance'],
    ],
  },
  {
    title: 'Develop',
    pages: [
      ...['developer/architecture', 'developer/extending', 'developer/testing', 'developer/web-client'],
      'developer/release',
    ],
  },
];

/** The page that says what to read. */
export const overview = 'docs/index';

/** Pages at the root of the checkout, after the chapters. */
export const rootPages = ['CONTRIBUTING', 'CONTEXT', 'SECURITY', 'CHANGELOG'];

/** The pages that are in no chapter. */
export function listUnlisted(): string[] {
  const present = ['user', 'operator', 'developer'].flatMap((folder) =>
    readdirSync(join(productDir, 'docs', folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${basename(name, '.md')}`),
  );
  return present.filter((path) => !chapters.some(({ pages }) => pages.includes(path)));
}
