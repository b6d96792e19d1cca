import { defineConfig } from 'vitest/config';

const inFolder = (folder: string) => `dist/test/${folder}/**/*.test.js`;

/**
 * What takes minutes: directory and mail servers, `kill -9` and full disks, many clients and long answers, waiting for the times
 * in use, a browser.
 */
const slow = ['directories', 'engines', 'subscribers', 'faults', 'load', 'real-time', 'web'];

/** What starts and stops the program, the service or other processes many times, or floods the service. */
const processes = [
  inFolder('imports'),
  'dist/test/e2e/{process,clock}.test.js',
  'dist/test/api/{accounts,fairness,list-limits,start,stop}.test.js',
  'dist/test/attachments/quarantine.test.js',
  'dist/src/attachments/extraction-process.test.js',
  'dist/src/ldap-server/hostile-clients.test.js',
  inFolder('backup'),
  inFolder('deploy'),
  inFolder('ledger'),
  inFolder('plugins'),
  inFolder('upgrade'),
  inFolder('site'),
];

/** What waits for processes and other servers, or sends thousands of requests. */
const integration = [
  ...['architecture', 'auth', 'contract', 'live'].map(inFolder),
  'dist/test/attachments/text-extraction.test.js',
  'dist/test/e2e/readme.test.js',
  'dist/src/ldap-server/!(hostile-clients).test.js',
  'dist/src/engines/sqlite/search/query/entry-search.test.js',
  'dist/test/api/{access,attachments,bad-input,drafts,group,search,thumbnails}.test.js',
];

// The tests run on the build output: worker threads and the started process are then the files that production runs.
export default defineConfig({
  test: {
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // On a slow machine, what a test waits for takes longer than the second that is the default.
    expect: { poll: { timeout: 20_000 } },
    pool: 'forks',
    // Loading the service takes longer than the tests of most files, so a worker loads it once for all of its files.
    isolate: false,
    // Many tests wait for a process, a disk or a clock.
    maxWorkers: '100%',
    coverage: { include: ['dist/src/**/*.js'], exclude: ['**/*.test.js'] },
    projects: [
      project('fast', ['dist/src/**/*.test.js', 'dist/test/**/*.test.js', 'web/src/**/*.test.ts'], {
        exclude: ['node_modules/**', ...integration, ...processes, ...slow.map(inFolder)],
      }),
      project('integration', integration),
      project('processes', processes, { testTimeout: 60_000, hookTimeout: 60_000 }),
      ...slow.map((folder) => project(folder, [inFolder(folder)], { testTimeout: 120_000, hookTimeout: 120_000 })),
    ],
  },
});

interface ProjectOptions {
  readonly exclude?: string[];
  readonly testTimeout?: number;
  readonly hookTimeout?: number;
}

function project(name: string, include: string[], more: ProjectOptions = {}) {
  return { extends: true as const, test: { name, include, ...more } };
}
